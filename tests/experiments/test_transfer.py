from __future__ import annotations

import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import depo
from depo.data.shipped import shipped
from depo.experiments.claims import (
    CLAIMS,
    Claim,
    _labels,
    _measures,
    final_values,
    judge,
    read_claims,
)
from depo.experiments.experiment import SCALES
from depo.experiments.registry import EXPERIMENTS as EVERY
from depo.experiments.transfer import EXPERIMENTS
from depo.runs.run import Run
from tests.support.recorded_actions import of_every_task

PENDULUM = "inverted-pendulum"


@pytest.fixture(scope="module")
def smoke(tmp_path_factory) -> tuple[dict[str, Run], Path]:
    """Figure 8 at its smallest, on the one task for which recordings are given."""
    folder = tmp_path_factory.mktemp("fig8")
    (folder / "demos").mkdir()
    shutil.copy(shipped()[PENDULUM], folder / "demos" / f"{PENDULUM}.npz")
    scale = replace(SCALES["smoke"], demos_dir=str(folder / "demos"))
    EXPERIMENTS["fig8"].reproduce(
        scale=scale,
        out=folder / "out",
        runs_folder=folder / "runs",
        workers=1,
        engine="local",
        watch=lambda *_: None,
        only=[f"{PENDULUM}-transfer-inverted"],
    )
    found = [Run.open(path) for path in (folder / "runs").iterdir()]
    return {run.path.name.rpartition("-")[0]: run for run in found}, folder / "out"


@pytest.mark.slow
def test_a_transfer_brings_the_run_of_its_planner(smoke) -> None:
    runs, out = smoke
    assert set(runs) == {f"{PENDULUM}-depo", f"{PENDULUM}-transfer-inverted"}
    transfer = runs[f"{PENDULUM}-transfer-inverted"]
    assert transfer.job.environment.dynamics == "inverted"
    assert {row["planner_unchanged"] for row in transfer.metrics()} == {1.0}
    assert (out / "fig8.png").exists()
    assert "| steps to 80% | steps to 90% |" in (out / "table.md").read_text()


@pytest.mark.slow
def test_steps_to_a_share_of_what_the_planner_reached_before(smoke) -> None:
    runs, _ = smoke
    label, source = f"{PENDULUM}-transfer-inverted", f"{PENDULUM}-depo"
    rows, before = runs[label].metrics(), runs[source].final_scores()[0]["return"]
    kept = [row["return_kept"] for row in rows]
    np.testing.assert_allclose(kept, [row["return"] / before for row in rows])
    steps = final_values(runs[label], f"steps_to_1_of_{source}", runs)
    assert steps == [rows[0]["env_steps"]]
    assert np.isinf(final_values(runs[label], f"steps_to_99999_of_{source}", runs)).all()
    measure = f"{label}/steps_to_1_of_{source}/max"
    claim = Claim("", measure, f"<= {rows[0]['env_steps']}")
    assert judge(claim, runs)["holds"] is True
    assert judge(claim, {label: runs[label]})["holds"] is None


def test_nobody_has_more_evaluations_to_be_lucky_in() -> None:
    plan = EXPERIMENTS["fig8"].plan(SCALES["bench"])
    own = {label: planned.job for label, planned in plan.items() if label.startswith("hopper-")}
    every = {job.steps_per_block for label, job in own.items() if label.endswith("-inverted")}
    assert len(own) == 5
    assert every == {1_000}


def test_runs_without_a_transfer_are_drawn_too(tmp_path: Path) -> None:
    run = depo.train(
        "bco", steps=256, out=tmp_path / "run", overrides={"hidden": 8, "evaluate_every": 1}
    )
    draw = EXPERIMENTS["fig8"].draw
    assert not draw({"hopper-depo": run}, SCALES["smoke"]).axes[0].lines
    assert draw({"hopper-gaifo-inverted": run}, SCALES["smoke"]).axes[0].lines


def test_every_claim_is_about_runs_of_its_experiment(tmp_path: Path) -> None:
    of_every_task(tmp_path)  # some tasks have no recording that ships, or none with actions
    own = replace(SCALES["bench"], demos_dir=str(tmp_path))
    for name in tomllib.loads(CLAIMS.read_text()):
        claims = read_claims(name)
        experiment = EVERY[name]
        known = {*experiment.groups, *experiment.scored}
        known |= {*experiment.plan(SCALES["bench"]), *experiment.plan(own)}
        said = {label for claim in claims for text in _measures(claim) for label in _labels(text)}
        assert said <= known, name


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("name", "setting"), [("fig5", "mixed"), ("fig8", "inverted")])
def test_every_scale_carries_the_planners_it_trains(name: str, setting: str, scale: str) -> None:
    plan = EXPERIMENTS[name].plan(SCALES[scale])
    tasks = [label.removesuffix("-depo") for label in plan if label.endswith("-depo")]
    assert PENDULUM in tasks
    carried = {label: planned.after for label, planned in plan.items() if "transfer" in label}
    assert {f"{task}-transfer-{setting}" for task in tasks} <= set(carried)
    for label, source in carried.items():
        assert source == f"{label.partition('-transfer-')[0]}-depo"

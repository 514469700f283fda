"""Driving as experiments: who is chosen by what, and every file there is at the end."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from depo.api import make_job
from depo.core.errors import DepoError
from depo.experiments.claims import Claim, final_values, judge
from depo.experiments.derived import Scored, Together
from depo.experiments.driving import CARRIED, EXPERIMENTS, VARIANTS
from depo.experiments.experiment import SCALES, summarise
from depo.experiments.sweep import Sweep
from depo.runs.run import Run
from tests.support.command import call
from tests.support.traffic import flowing

Rows = Sequence[tuple[Sequence[float], Sequence[float]]]


def fake(path: Path, rows: Rows) -> Run:
    """A run with these evaluations: (success of each seed, test success of each seed)."""
    path.mkdir(parents=True)
    run = Run(path, make_job("gaifo", env="gridworld", seeds=len(rows[0][0])))
    for i, pair in enumerate(rows):
        run.log(
            [
                {"seed": s, "env_steps": 100 * (i + 1), "success": a, "test_success": b}
                for s, (a, b) in enumerate(zip(*pair, strict=True))
            ]
        )
    return run


def test_a_model_is_chosen_by_validation_and_reported_by_test(tmp_path: Path) -> None:
    run = fake(
        tmp_path / "run", [((0.2, 0.9), (0.1, 0.7)), ((0.8, 0.9), (0.5, 1.0)), ((0.4, 0.1), (1, 1))]
    )
    # seed 0 is best at the second evaluation; seed 1 at the first and second: the first counts
    assert final_values(run, "test_success@best_success").tolist() == [0.5, 0.7]
    assert final_values(run, "test_success").tolist() == [1.0, 1.0]
    assert final_values(run, "steps_to_70").tolist() == [200.0, 100.0]
    assert summarise(run, "test_success@best_success") == "0.500, 0.700"
    assert summarise(run, "nothing@best_success") == "–"


def test_separate_policies_are_chosen_apart_and_their_steps_summed(tmp_path: Path) -> None:
    parts = {
        "normal": fake(tmp_path / "a", [((0.9,), (0.8,)), ((0.1,), (0.0,))]),
        "inverse": fake(tmp_path / "b", [((0.1,), (0.0,)), ((0.7,), (0.6,))]),
    }
    together = Together.of(parts)
    assert [row["env_steps"] for row in together.metrics()] == [200, 400]
    assert [row["success"] for row in together.metrics()] == [0.5, pytest.approx(0.4)]
    assert final_values(together, "test_success").tolist() == [pytest.approx(0.3)]
    assert final_values(together, "test_success@best_success").tolist() == [pytest.approx(0.7)]
    assert final_values(together, "steps_to_50").tolist() == [200]


def test_claims_about_intervals_and_differences(tmp_path: Path) -> None:
    seeds = (0.8, 0.81, 0.82, 0.83, 0.84)
    runs = {
        "high": fake(tmp_path / "high", [(seeds, seeds)]),
        "low": fake(tmp_path / "low", [((0.7,) * 5, (0.7, 0.7, 0.7, 0.7, 0.83))]),
        "few": fake(tmp_path / "few", [((0.9,), (0.795,))]),
    }

    def holds(measure: str, expected: str) -> bool | None:
        return judge(Claim("c", measure, expected), runs)["holds"]

    assert holds("high/test_success@best_success/low", "> low/test_success@best_success/high")
    assert not holds("low/test_success@best_success/high", "> high/test_success/low")
    assert holds("few/test_success/low", "> 0") is False  # one seed has no interval
    assert holds("few/test_success_away_from_high/max", "<= 0.01")
    assert holds("low/test_success_away_from_high/max", "<= 0.01") is False
    assert holds("low/test_success_away_from_none/max", "<= 1") is None
    assert holds("few/test_success@best_success_away_from_high/max", "<= 0.01")
    known = Scored.beside(runs["few"], {"test_success": 0.127, "success": 0.1})
    assert final_values(known, "test_success@best_success").tolist() == [0.127]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(flowing().save(tmp_path_factory.mktemp("traffic") / "flowing.npz"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("driving")


def reproduce(name: str, folder: Path, recording: str, only: Sequence[str] = ()) -> dict:
    return EXPERIMENTS[name].reproduce(
        scale=replace(SCALES["smoke"], recording=recording),
        out=folder / name,
        runs_folder=folder / "runs",
        workers=1,
        engine="local",
        watch=lambda *_: None,
        only=only,
    )


def test_experiments_share_their_runs(recording: str, tmp_path: Path) -> None:
    scale = replace(SCALES["bench"], recording=recording)
    sweeps = {name: Sweep(tmp_path, own.plan(scale)) for name, own in EXPERIMENTS.items()}
    six, table, oneshot = (sweeps[n] for n in ("fig6", "table-ngsim", "fig-oneshot"))
    assert len(six.plan) == 1 + 2 * len(VARIANTS)
    assert all(table.path(label) == six.path(label) for label in six.plan)
    assert oneshot.path("depo-normal") == six.path("depo-normal")
    assert {x for x in oneshot.plan if oneshot.plan[x].after} == {f"oneshot-{x}" for x in CARRIED}
    assert six.plan["depo-co"].job.steps == 3 * six.plan["depo-normal"].job.steps
    shipped = Sweep(tmp_path, EXPERIMENTS["fig6"].plan(SCALES["bench"]))
    assert shipped.path("depo-co") != six.path("depo-co")


@pytest.mark.slow
def test_a_planner_is_carried_and_every_file_written(recording: str, folder: Path) -> None:
    verdict = reproduce("fig-oneshot", folder, recording, only=["oneshot-inverse"])
    assert {claim["holds"] for claim in verdict["claims"]} == {None}  # another recording
    assert (folder / "fig-oneshot" / "fig-oneshot.png").exists()
    table = (folder / "fig-oneshot" / "table.md").read_text()
    assert "Recording 'flowing', a zone of 215 m, 19 test vehicles." in table
    runs = {
        label: Run.open(path)
        for label in ("depo-normal", "oneshot-inverse")
        for path in (folder / "runs").glob(f"{label}-*")
    }
    assert runs["oneshot-inverse"].final_scores()[0]["env_steps"] == 0
    apart = "success@best_success_away_from_depo-normal"
    assert final_values(runs["oneshot-inverse"], apart, runs).max() < 0.01


def test_who_learns_nothing_is_in_the_table_beside_the_paper(recording: str, folder: Path) -> None:
    reproduce("table-ngsim", folder, recording, only=["depo-normal"])
    out = folder / "table-ngsim"
    table = (out / "table.md").read_text().splitlines()
    paper = next(line for line in table if line.startswith("| recorded | 1.000 | 1.000 ±"))
    assert "| 210 |" in paper
    with (out / "results.csv").open() as file:
        rows = {(row["method"], row["metric"]): row["value"] for row in csv.DictReader(file)}
    assert float(rows["recorded", "test_success"]) == 1.0
    assert float(rows["constant-velocity", "test_success"]) < 0.5
    assert "test_position_divergence" in {metric for _, metric in rows}
    assert set(json.loads((out / "verdict.json").read_text())["runtime_seconds"]) == {"depo-normal"}


def test_curves_and_imagined_drives_are_drawn(recording: str, folder: Path) -> None:
    saved = reproduce("fig6", folder, recording, only=["depo-normal"])["figures"]
    assert [Path(path).name for path in saved] == ["fig6.png", "fig6-imagined.png"]


def test_only_driving_takes_a_recording(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("reproduce", "fig2", "--recording", "mine.npz") == 2
    assert "it is for fig6, fig-oneshot, table-ngsim" in capsys.readouterr().err
    with pytest.raises(DepoError, match="unknown recording"):
        EXPERIMENTS["fig6"].plan(replace(SCALES["smoke"], recording="nowhere"))


@pytest.mark.slow
def test_all_of_it_at_scale_smoke(recording: str, folder: Path) -> None:
    reproduce("table-ngsim", folder, recording)
    reproduce("fig-oneshot", folder, recording)
    saved = reproduce("fig6", folder, recording)["figures"]
    assert len(saved) == 2
    table = (folder / "table-ngsim" / "table.md").read_text()
    for label in ("gaifo", "depo", "depo-co", "bco", "depo-supervised", "constant-velocity"):
        assert f"\n| {label} | " in table
    labels = {path.name.rpartition("-")[0] for path in (folder / "runs").iterdir()}
    assert len(labels) == len(list((folder / "runs").iterdir())) == 9 + len(CARRIED)
    together = [row for row in csv.DictReader((folder / "fig6" / "results.csv").open())]
    steps = {row["method"]: int(row["env_steps"]) for row in together}
    assert steps["gaifo"] == steps["depo"] == steps["depo-co"] == 3 * steps["gaifo-normal"]
    assert np.isfinite([float(row["value"]) for row in together]).all()

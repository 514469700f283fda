from __future__ import annotations

import csv
import dataclasses
import json
import shutil
import tomllib
from pathlib import Path

import numpy as np
import pytest

import depo
from depo.api import make_job
from depo.demos import Demonstrations
from depo.environments.mujoco import TASKS
from depo.errors import DepoError
from depo.experiments.claims import CLAIMS, EXPECTED, judge
from depo.experiments.derived import kept_results, settings_digest
from depo.experiments.experiment import (
    SCALES,
    Experiment,
    ScaleSettings,
    markdown_table,
    summarise,
)
from depo.experiments.grid import _draw_divergence
from depo.experiments.registry import EXPERIMENTS
from depo.experiments.sweep import Planned, Sweep
from depo.runs.job import EnvironmentSettings, Job
from depo.runs.run import Run

SMALL = {"size": 3, "hidden": 32, "batch_steps": 64}


def small_plan(scale: ScaleSettings) -> dict[str, Planned]:
    depo = make_job("depo", steps=scale.steps, seeds=scale.seeds, **SMALL)
    transfer = make_job("transfer", steps=scale.transfer_steps, seeds=scale.seeds, k=2, **SMALL)
    return {"depo": Planned(depo), "transfer": Planned(transfer, "depo")}


SCALE = ScaleSettings("small", steps=128, transfer_steps=64, grid_seeds=2, seeds=2)
SMALL_EXPERIMENT = Experiment(
    "controls-small", "two small runs", small_plan, _draw_divergence, ("success", "steps_to_90")
)


def reproduce(folder: Path, seen: dict[str, int], **more: object) -> dict:
    return SMALL_EXPERIMENT.reproduce(
        scale=SCALE,
        out=folder / "out",
        runs_folder=folder / "runs",
        workers=2,
        engine="local",
        watch=lambda label, done, total: seen.__setitem__(label, done),
        **more,
    )


@pytest.fixture(scope="module")
def done(tmp_path_factory) -> tuple[Path, dict[str, int]]:
    folder, seen = tmp_path_factory.mktemp("experiment"), {}
    reproduce(folder, seen)
    return folder, seen


def test_an_experiment_writes_figure_results_table_and_verdict(done) -> None:
    folder, seen = done
    assert seen == {"depo": 128, "transfer": 64}
    names = {path.name for path in (folder / "out").iterdir()}
    assert {"controls-small.png", "controls-small.pdf", "results.csv", "table.md"} <= names
    with (folder / "out" / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["method", "environment", "seed", "env_steps", "metric", "value"]
    assert {row["method"] for row in rows} == {"depo", "transfer"}
    assert json.loads((folder / "out" / "verdict.json").read_text())["claims"] == []


def test_finished_runs_are_not_repeated(done) -> None:
    folder, _ = done
    before = {p: p.stat().st_mtime_ns for p in (folder / "runs").rglob("metrics.csv")}
    assert len(before) == 2
    reproduce(folder, {})
    assert before == {p: p.stat().st_mtime_ns for p in (folder / "runs").rglob("metrics.csv")}


def test_results_outlive_their_runs(done, tmp_path: Path) -> None:
    folder, _ = done
    shutil.copytree(folder / "out", tmp_path / "out")
    seen: dict[str, int] = {}
    before = (tmp_path / "out" / "table.md").read_text()
    reproduce(tmp_path, seen, keep=True)
    assert seen == {}
    assert (tmp_path / "out" / "table.md").read_text() == before
    results = tmp_path / "out" / "results.csv"
    whole = results.read_text()
    assert whole == (folder / "out" / "results.csv").read_text()
    results.write_text("".join(x for x in whole.splitlines(True) if not x.startswith("transfer")))
    shutil.copytree(folder / "runs", tmp_path / "runs")
    reproduce(tmp_path, seen, keep=True)  # a transfer needs the run its planners come from
    assert seen == {"depo": 128, "transfer": 64}
    assert results.read_text() == whole


def test_results_of_other_jobs_are_neither_kept_nor_lost(done, tmp_path: Path) -> None:
    folder, _ = done
    shutil.copytree(folder / "out", tmp_path / "out")
    jobs = {label: planned.job for label, planned in small_plan(SCALE).items()}
    assert set(kept_results(folder / "out", jobs)[0]) == {"depo", "transfer"}
    assert kept_results(tmp_path, jobs) == ({}, set())
    longer = {"depo": make_job("depo", steps=256, seeds=2, **SMALL)}
    more_seeds = {"depo": make_job("depo", steps=128, seeds=3, **SMALL)}
    for other in (longer, more_seeds):
        assert kept_results(folder / "out", other) == ({}, {"depo", "transfer"})
    results = tmp_path / "out" / "results.csv"
    whole = results.read_text()
    shutil.copytree(folder / "runs", tmp_path / "runs")
    results.write_text("".join(x for x in whole.splitlines(True) if ",128," not in x))
    with pytest.raises(DepoError, match=r"has results of depo .* unfinished"):
        reproduce(tmp_path, {}, keep=True, only=["transfer"])
    reproduce(tmp_path, {}, keep=True, only=["depo"])  # what is named may be unfinished there
    assert results.read_text() == whole
    with results.open("a") as file:
        file.write("ppo,gridworld,0,128,success,1\n")
    before = results.read_text()
    with pytest.raises(DepoError, match=r"has results of ppo .* would be lost"):
        reproduce(tmp_path, {}, keep=True)
    assert results.read_text() == before
    results.write_text("method,seed,env_steps,metric,value\ndepo,0,x,return,1\n")
    with pytest.raises(DepoError, match=r"results.csv is damaged .*leave out --keep"):
        reproduce(tmp_path, {}, keep=True)


def test_results_of_other_settings_are_not_taken_for_these(done, tmp_path: Path) -> None:
    out = shutil.copytree(done[0] / "out", tmp_path / "out")
    seen = {label: planned.job for label, planned in small_plan(SCALE).items()}
    settings = dataclasses.replace(seen["depo"].settings, calibration=0.0)
    other = seen | {"depo": dataclasses.replace(seen["depo"], settings=settings)}
    elsewhere = seen | {"depo": dataclasses.replace(seen["depo"], demos="elsewhere/mine.npz")}
    assert kept_results(out, other)[1] == {"depo"}
    assert kept_results(out, elsewhere)[1] == set()
    (out / "verdict.json").write_text("{}")  # from before settings were written down
    assert kept_results(out, other)[1] == set()
    reproduce(tmp_path, {}, keep=True)
    assert json.loads((out / "verdict.json").read_text())["settings_digest"] == {}


def test_a_run_of_other_recordings_is_not_taken_for_these(tmp_path: Path) -> None:
    file = depo.load_demonstrations("gridworld").save(tmp_path / "mine.npz")
    job = make_job("depo", demos=file, steps=128, hidden=32, batch_steps=64)
    sweep = Sweep(tmp_path / "runs", {"depo": Planned(job)})
    sweep.execute(workers=1, watch=lambda *_: None)
    sweep.execute(workers=1, watch=lambda *_: None)
    file.unlink()
    depo.load_demonstrations("gridworld").select([0]).save(file)
    with pytest.raises(DepoError, match=r"learned from other recordings than .*mine.npz holds now"):
        sweep.execute(workers=1, watch=lambda *_: None)


def test_ray_runs_the_same_jobs(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is an extra: pip install 'depo[ray]' to test it")
    sweep = Sweep(tmp_path, {"ppo": Planned(make_job("ppo", steps=128, **SMALL))})
    seen: dict[str, int] = {}
    sweep.execute(
        workers=1, engine="ray", watch=lambda label, steps, _: seen.__setitem__(label, steps)
    )
    assert seen == {"ppo": 128}
    assert sweep.is_finished("ppo")


def test_a_failing_run_is_named(tmp_path: Path) -> None:
    broken = Planned(make_job("transfer", planner=tmp_path / "nowhere", **SMALL))
    sweep = Sweep(tmp_path, {"lost": broken})
    with pytest.raises(DepoError, match="run 'lost'"):
        sweep.execute(workers=1, watch=lambda *_: None)


def fake_run(folder: Path, label: str, success: list[list[float]]) -> Run:
    """A run with these success rates: a list of seeds for each evaluation."""
    path = folder / label
    path.mkdir()
    run = Run(path, make_job("depo", seeds=len(success[0])))
    for i, seeds in enumerate(success):
        rows = [{"seed": s, "env_steps": 128 * (i + 1), "success": x} for s, x in enumerate(seeds)]
        run.log(rows)
    return run


def test_claims_compare_with_numbers_and_with_each_other(tmp_path: Path) -> None:
    runs = {
        "fast": fake_run(tmp_path, "fast", [[0.1] * 5, [0.95] * 5]),
        "slow": fake_run(tmp_path, "slow", [[0.1] * 5] * 4 + [[0.95] * 4 + [0.2]]),
    }

    def holds(measure: str, expected: str) -> dict:
        return judge({"claim": "c", "measure": measure, "expected": expected}, runs)

    assert holds("fast/steps_to_90/max", "<= 256")["holds"]
    assert not holds("fast/steps_to_90/max", "< 256")["holds"]
    assert holds("fast/steps_to_90/median", "<= 0.5 * slow/steps_to_90/median")["holds"]
    never = holds("slow/steps_to_90/max", "< 1e9")
    assert not never["holds"]
    assert never["measured"] == "never"
    assert set(never) == {"claim", "expected", "measured", "interval", "holds"}
    assert never["interval"] is None
    assert not holds("slow/steps_to_90/max", "<= slow/steps_to_90/max")["holds"]
    sooner = holds("fast/steps_to_90/max", "<= slow/steps_to_90/max")
    assert sooner["holds"]
    assert sooner["expected"].endswith("(= never)")
    assert holds("none/success/mean", "> 0")["holds"] is None  # left out: not judged
    assert holds("fast/success/mean", "> none/success/mean")["measured"] == "not run"
    later = holds("fast/success@256/mean", ">= fast/success/mean")
    assert later["holds"], later
    with pytest.raises(DepoError, match="no evaluation from 99999"):
        holds("fast/success@99999/mean", "> 0")
    with pytest.raises(DepoError, match="not readable"):
        holds("fast/success/mean", "about 1")
    assert "never" in markdown_table(runs, ("steps_to_90",))


def test_where_nothing_chooses_the_last_evaluation_counts(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", make_job("depo"))  # a recording without validation vehicles
    run.path.mkdir()
    for steps, value in [(128, 0.9), (256, 0.4)]:
        run.log([{"seed": 0, "env_steps": steps, "test_success": value}])
    assert summarise(run, "test_success@best_success") == "0.400"
    assert summarise(run, "steps_to_70") == "–"


def made_in(recording: str) -> Job:
    """A job in a scene."""
    environment = EnvironmentSettings("Somewhere-v0", None, (("recording", recording),))
    return dataclasses.replace(make_job("depo"), environment=environment)


def test_results_of_another_scene_are_others() -> None:
    here, elsewhere, other = map(made_in, ("here/flow.npz", "there/flow.npz", "here/jam.npz"))
    assert settings_digest(here) == settings_digest(elsewhere) != settings_digest(other)


def test_a_scene_made_anew_is_not_taken_for_the_old_one(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "flow.npz").touch()
    sweep = Sweep(tmp_path / "runs", {"depo": Planned(made_in(str(tmp_path / "flow.npz")))})
    old, new = (Demonstrations.from_episodes([np.full((3, 28), x)]) for x in (0.0, 1.0))
    old.save(sweep.path("depo") / "demos.npz")
    monkeypatch.setattr("depo.experiments.sweep.default_demonstrations", lambda *_: old)
    sweep._check_demonstrations("depo")
    monkeypatch.setattr("depo.experiments.sweep.default_demonstrations", lambda *_: new)
    with pytest.raises(DepoError, match=r"other recordings than .*flow.npz holds now"):
        sweep._check_demonstrations("depo")


@pytest.mark.parametrize(("relative", "holds"), [(0.85, True), (0.5, False)])
def test_a_small_reach_error_counts_for_a_policy_only(
    tmp_path: Path, relative: float, holds: bool
) -> None:
    runs = {}
    for label, share, error in [("still", relative, 0.01), ("moving", 1.0, 0.1)]:
        runs[label] = Run(tmp_path / label, make_job("depo"))
        runs[label].path.mkdir()
        row = {"seed": 0, "env_steps": 128, "return_relative": share, "reach_error": error}
        runs[label].log([row])
    for measure, expected in [
        ("still/reach_error/mean", "< moving/reach_error/mean"),
        ("moving/reach_error/mean", "> 2 * still/reach_error/mean"),
        ("still/reach_error/mean", "<= 0.05"),
    ]:
        entry = judge({"claim": "c", "measure": measure, "expected": expected}, runs)
        assert entry["holds"] == holds
        assert ("must have 80% of the expert's return, not 50%" in entry["expected"]) != holds
    back = {"claim": "c", "measure": "still/reach_error/mean", "expected": "> 0.001"}
    assert judge(back, runs)["holds"]


def test_every_claim_is_readable_and_names_runs_of_its_experiment(tmp_path: Path) -> None:
    for task in TASKS:  # a task whose demonstrations are missing is left out of the plan
        (tmp_path / f"{task}.npz").touch()
    scale = dataclasses.replace(SCALES["bench"], demos_dir=str(tmp_path))
    claims = tomllib.loads(CLAIMS.read_text())
    assert set(claims) <= set(EXPERIMENTS)
    for name, entries in claims.items():
        own = EXPERIMENTS[name]
        labels = {*own.plan(scale), *own.groups, *own.scored}
        for entry in entries:
            match = EXPECTED.fullmatch(entry["expected"])
            assert match, entry
            assert entry["measure"].split("/")[0] in labels
            if "/" in match[3]:
                assert match[3].split("/")[0] in labels


@pytest.mark.parametrize("name", EXPERIMENTS)
@pytest.mark.parametrize("scale", SCALES)
def test_every_experiment_has_a_plan_at_every_scale(name: str, scale: str) -> None:
    plan = EXPERIMENTS[name].plan(SCALES[scale])
    for planned in plan.values():
        assert planned.after == "" or planned.after in plan


def test_equal_runs_are_shared_by_experiments(tmp_path: Path) -> None:
    two, four = (Sweep(tmp_path, EXPERIMENTS[n].plan(SCALES["laptop"])) for n in ("fig2", "fig4"))
    assert two.path("depo") == four.path("depo")
    bench = Sweep(tmp_path, EXPERIMENTS["fig2"].plan(SCALES["bench"]))
    assert bench.path("depo") != two.path("depo")

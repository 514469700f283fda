"""An experiment: runs, figure, table and verdict."""

from __future__ import annotations

import csv
import dataclasses
import json
import shutil
from pathlib import Path

import pytest

import depo
from depo.api import make_job
from depo.core.errors import DepoError
from depo.core.metrics import catalogue
from depo.experiments.claims import (
    metrics_in,
)
from depo.experiments.derived import kept_results
from depo.experiments.experiment import (
    Experiment,
    ScaleSettings,
    markdown_table,
    results_csv,
    summarise,
)
from depo.experiments.grid import _draw_divergence
from depo.experiments.registry import EXPERIMENTS
from depo.experiments.sweep import PlannedRun, Sweep
from depo.methods.settings_tree import with_values
from depo.runs.run import Run
from tests.support.arguments import flat

SMALL = {"size": 3, "horizon": 8, "hidden": 32, "batch_steps": 64}


def small_plan(scale: ScaleSettings) -> dict[str, PlannedRun]:
    depo = make_job("depo", steps=scale.steps, seeds=scale.seeds, **flat(**SMALL))
    transfer = make_job(
        "transfer", steps=scale.transfer_steps, seeds=scale.seeds, **flat(k=2, **SMALL)
    )
    return {"depo": PlannedRun(depo), "transfer": PlannedRun(transfer, "depo")}


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
    longer = {"depo": make_job("depo", steps=256, seeds=2, **flat(**SMALL))}
    more_seeds = {"depo": make_job("depo", steps=128, seeds=3, **flat(**SMALL))}
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
    settings = with_values(seen["depo"].settings, {"calibration": 0.0})
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
    job = make_job("bco", demos=file, steps=64, overrides={"hidden": 8, "batch_steps": 64})
    sweep = Sweep(tmp_path / "runs", {"bco": PlannedRun(job)})
    sweep.execute(workers=1, watch=lambda *_: None)
    sweep.execute(workers=1, watch=lambda *_: None)
    file.unlink()
    depo.load_demonstrations("gridworld").select([0]).save(file)
    with pytest.raises(DepoError, match=r"learned from other recordings than .*mine.npz holds now"):
        sweep.execute(workers=1, watch=lambda *_: None)


def test_every_column_of_a_table_is_in_the_results(tmp_path: Path) -> None:
    for experiment in EXPERIMENTS.values():
        names = {name for column in experiment.columns for name in metrics_in(column)}
        assert names <= set(catalogue()), experiment.name
        run = Run(tmp_path / experiment.name, make_job("depo"))
        run.path.mkdir()
        run.log([{"seed": 0, "env_steps": 128, "policy_loss": 1.0} | dict.fromkeys(names, 0.5)])
        lines = results_csv({"depo": run}, experiment.columns).splitlines()[1:]
        assert {line.split(",")[4] for line in lines} == names


def test_a_table_calls_metrics_as_the_catalogue_does(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", make_job("depo"))
    run.path.mkdir()
    run.log([{"seed": 0, "env_steps": 128, "success": 0.5, "test_distance": 98.76, "jerk": 2.0}])
    columns = ("test_distance@best_success", "success@100", "steps_to_90", "jerk")
    head, _, row = markdown_table({"depo": run}, columns).splitlines()
    assert head.split(" | ")[2:-1] == [
        "distance, test vehicles, at best success rate (m)",
        "success rate, at 100 steps",
        "steps to 90% success",
        "jerk",
    ]
    assert row.split(" | ")[2:-1] == ["98.8", "0.500", "never", "2.000"]
    assert ",jerk,2" in results_csv({"depo": run}, columns)  # asked for, though nobody knows it


def test_where_nothing_chooses_the_last_evaluation_counts(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", make_job("depo"))  # a recording without validation vehicles
    run.path.mkdir()
    for steps, value in [(128, 0.9), (256, 0.4)]:
        run.log([{"seed": 0, "env_steps": steps, "test_success": value}])
    assert summarise(run, "test_success@best_success") == "0.400"
    assert summarise(run, "steps_to_70") == "–"

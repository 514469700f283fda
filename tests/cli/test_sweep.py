"""``depo sweep``: a table of runs, its refusals, its folder, and one row done."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from depo.cli.run_table import plan_of
from depo.core.errors import DepoError
from depo.data.demonstrations import Demonstrations
from depo.experiments import stored_sweep
from depo.experiments.stored_sweep import do_task, load_sweep, tasks
from depo.experiments.sweep import Sweep
from tests.support.command import call

TABLE = """
[defaults]
size = 3
hidden = 8
batch_steps = 64
steps = 128
seeds = 2

[runs.cloned]
method = "bco"

[runs.planned]
method = "depo"
k = 2

[runs.carried]
after = "planned"
steps = 64
k = 4
"""


@pytest.fixture
def table(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "mine.toml"
    file.write_text(TABLE)
    return file


def test_every_seed_of_every_row_is_a_run(table: Path) -> None:
    plan = plan_of(table)
    assert list(plan) == [
        f"{name}/seed-{s}" for name in ("cloned", "planned", "carried") for s in (0, 1)
    ]
    carried = plan["carried/seed-1"]
    assert carried.after == "planned/seed-1"
    assert (carried.job.method, carried.job.seeds, carried.job.steps) == ("transfer", (1,), 64)
    assert carried.job.environment.settings.k == 4
    assert carried.job.environment.settings.size == 3
    assert plan["planned/seed-0"].job.environment.settings.k == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('method = "bco"', 'method = "bca"', "run 'cloned': unknown method 'bca': did you mean"),
        ('after = "planned"', 'after = "planed"', "did you mean 'planned'"),
        ('after = "planned"', 'after = "carried"', "no planner of its own"),
        ("hidden = 8", "hiden = 8", "did you mean '--hidden'"),
        ("hidden = 8", "hidden = -8", "hidden"),
        ("hidden = 8", 'out = "x"', "is for the whole sweep"),
        ("[runs.cloned]", "[run.cloned]", "did you mean 'runs'"),
        ("[runs.cloned]", '[runs."../cloned"]', "cannot be the name of a run"),
        ("size = 3", 'env = "evil:Arm-v0"', "names the module 'evil'"),
    ],
)
def test_a_wrong_table_is_refused_in_a_sentence(
    table: Path, old: str, new: str, message: str
) -> None:
    table.write_text(TABLE.replace(old, new, 1))
    with pytest.raises(DepoError, match=message):
        plan_of(table)


def test_a_dry_run_says_what_there_is_and_writes_nothing(table: Path, capsys) -> None:
    assert call("sweep", table, "--dry-run", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [row["status"] for row in told["runs"]] == ["to do"] * 6
    assert sorted(path.name for path in table.parent.iterdir()) == ["mine.toml"]


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('demos = "absent.npz"', "run 'planned/seed-0': .*absent.npz"),
        ('demos = "far.npz"', "run 'planned/seed-0': demonstrations visit state 400"),
        ('planner = "absent"\nmethod = "transfer"', "run 'planned/seed-0': .*absent"),
    ],
)
def test_recordings_and_planners_are_opened_before_anything_is_written(
    table: Path, capsys, line: str, said: str, dry
) -> None:
    """A dry run said nothing of them, and a sweep began before the first run refused them."""
    Demonstrations.from_episodes([[0, 1, 400]]).save(table.parent / "far.npz")
    method = "" if "method" in line else 'method = "depo"\n'
    text = TABLE.partition("[runs.carried]")[0].partition("[runs.planned]")[0]
    table.write_text(f"{text}[runs.planned]\n{method}{line}\n")
    assert call("sweep", table, *dry) == 2
    assert re.search(said, err := capsys.readouterr().err), err
    assert not (table.parent / "sweeps").exists()


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
@pytest.mark.parametrize(
    "words",
    [
        ("sweep", "TABLE"),
        ("train", "bco", "--steps", 128),
        ("reproduce", "fig2", "--scale", "smoke"),
    ],
)
def test_a_missing_engine_is_refused_before_anything_is_written(
    table: Path, capsys, monkeypatch, words, dry
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # as where it is not installed
    monkeypatch.chdir(table.parent)
    given = [table if word == "TABLE" else word for word in words]
    assert call(*given, *dry, "--engine", "ray") == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", "depo: --engine ray needs Ray: pip install 'depo[ray]'\n")
    assert [path.name for path in table.parent.iterdir()] == [table.name]


def test_a_sweep_is_its_folder(table: Path, capsys, monkeypatch) -> None:
    """Written for SLURM, one of its tasks done here; the same table then goes on, another does
    not."""
    monkeypatch.setattr("depo.experiments.engines.claim_core", lambda: None)
    table.write_text(TABLE.replace("seeds = 2", "seeds = 1").partition("[runs.planned]")[0])
    assert call("sweep", table, "--engine", "slurm", "--json") == 0
    written = json.loads(capsys.readouterr().out)
    assert written["tasks"] == 1
    sweep = load_sweep(Path(written["folder"]))
    assert sweep.left() == ["cloned/seed-0"]
    assert do_task(sweep, 0, print) == ["cloned/seed-0"]
    with pytest.raises(DepoError, match="task 1 is not between 0 and 0"):
        do_task(sweep, 1, print)
    capsys.readouterr()
    assert call("sweep", table, "--json") == 0  # nothing is left
    assert json.loads(capsys.readouterr().out)["runs"][0]["status"] == "finished"
    table.write_text(table.read_text().replace("hidden = 8", "hidden = 16"))
    assert call("sweep", table) == 2
    assert "was begun with other settings" in capsys.readouterr().err


def test_what_needs_a_planner_is_behind_it_in_one_task(table: Path, tmp_path: Path) -> None:
    sweep = Sweep(tmp_path / "runs", plan_of(table), plainly=True)
    assert tasks(sweep) == [
        ["cloned/seed-0"],
        ["cloned/seed-1"],
        ["planned/seed-0", "carried/seed-0"],
        ["planned/seed-1", "carried/seed-1"],
    ]


def test_a_strangers_sweep_is_read_with_care(table: Path, tmp_path: Path) -> None:
    sweep = Sweep(tmp_path / "runs", plan_of(table), plainly=True)
    file = stored_sweep.save_sweep(sweep)
    assert load_sweep(sweep.folder) == sweep
    stored = json.loads(file.read_text())
    for label, message in (("../out", "cannot be the name"), ("a/../../b", "cannot be the name")):
        bad = {**stored, "runs": {label: stored["runs"]["cloned/seed-0"]}}
        file.write_text(json.dumps(bad))
        with pytest.raises(DepoError, match=message):
            load_sweep(sweep.folder)
    away = Sweep(tmp_path / "elsewhere", sweep.plan)
    other = stored_sweep.save_sweep(away, tmp_path / "results")
    assert load_sweep(other.parent) == away
    other.write_text(other.read_text().replace("elsewhere", "everywhere"))
    with pytest.raises(DepoError, match="would write to"):
        load_sweep(other.parent)
    alone = {**stored, "runs": {"x": stored["runs"]["carried/seed-0"]}}
    file.write_text(json.dumps(alone))
    with pytest.raises(DepoError, match="which it cannot"):
        load_sweep(sweep.folder)
    environment = {"family": "gymnasium", "settings": {"id": "evil:Arm-v0", "arguments": []}}
    run = stored["runs"]["cloned/seed-0"]
    evil = {"job": run["job"] | {"environment": environment | {"dynamics": ""}}, "after": ""}
    file.write_text(json.dumps({**stored, "runs": {"x": evil}}))
    with pytest.raises(DepoError, match="was not made by you"):
        load_sweep(sweep.folder)

"""``--dry-run``: what would run, and nothing is written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from depo.api import make_job
from depo.cli.dry_run import description, time_of, updates
from depo.data import Demonstrations
from depo.runs.training import begin
from tests.support.command import call
from tests.support.kept_runs import GRID, kept_run


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_it_says_what_from_what_how_long_and_where(tmp_path: Path, capsys) -> None:
    assert call("train", "depo", "--env", "hopper", "--seeds", "2", "--dry-run") == 0
    shown = capsys.readouterr().out
    assert "depo on hopper-v5, off-policy, preset fast" in shown
    assert "10 episodes of 1001 states, each seed draws 4 of them" in shown
    assert "60,000 environment steps, 110,500 updates, 12 evaluations, 4 checkpoints" in shown
    assert "runs/depo-hopper-v5-1" in shown
    assert "time:" not in shown
    assert not list(tmp_path.iterdir())


def test_as_json(tmp_path: Path, capsys) -> None:
    words = ["cotrain", "depo", "--variants", "1,2", "--out", "here", "--dry-run", "--json"]
    assert call(*words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["out"] == "here"
    assert told["variants"] == ["1", "2"]
    assert told["demonstrations"]["episodes"] == 100
    assert told["updates"] is None
    assert told["seconds"] is None
    assert not list(tmp_path.iterdir())


def test_what_a_run_would_refuse_is_refused(tmp_path: Path, capsys) -> None:
    assert call("train", "depo", "--demos", "absent.npz", "--dry-run") == 2
    assert "does not exist" in capsys.readouterr().err
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    assert call("train", "depo", "--out", "full", "--dry-run") == 2
    assert "full exists" in capsys.readouterr().err
    Demonstrations.from_episodes([np.zeros((4, 3))]).save(tmp_path / "other.npz")
    assert call("train", "depo", "--env", "hopper", "--demos", "other.npz", "--dry-run") == 2
    assert "demonstrations hold 3-dimensional states" in capsys.readouterr().err
    assert call("train", "depo", "--demos", "other.npz", "--dry-run") == 2
    assert "gridworld-6x6-k1 has 36 finite states" in capsys.readouterr().err
    planner = kept_run(GRID, tmp_path / "kept") / "planner" / "seed-0"
    assert call("transfer", planner, "--env", "hopper", "--dry-run") == 2
    assert "plans among 9 finite states" in capsys.readouterr().err
    assert call("transfer", planner, "--size", "4", "--dry-run") == 2
    assert "was trained on 9 states" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert call("transfer", "empty", "--k", "2", "--dry-run") == 2
    assert "empty" in capsys.readouterr().err


def test_a_tracker_that_is_not_installed_is_told_of_before_the_run(monkeypatch, capsys) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    status = call("train", "depo", "--track", "wandb", "--dry-run")
    assert status == 2
    assert "pip install 'depo[track]'" in capsys.readouterr().err


def test_a_run_like_it_tells_the_time(tmp_path: Path) -> None:
    small = {"batch_steps": 64, "hidden": 16, "evaluate_every": 1}
    job = make_job("depo", env_args={"size": 3}, steps=640, overrides=small)
    assert time_of(job, tmp_path) == (None, None)
    run = begin(job, tmp_path / "before")
    assert time_of(job, tmp_path) == (None, None)  # nothing done yet
    progress = run.latest()[0].parent / "progress.json"
    written = json.loads(progress.read_text()) | {"block": 5, "own": ""}
    progress.write_text(json.dumps(written))
    progress.parent.rename(progress.parent.with_name("000005"))
    run.log_time(320, 4.0)
    assert description(job, "new")["seconds"] == 8.0
    other = make_job("depo", env_args={"size": 3}, steps=640, overrides=small | {"hidden": 32})
    assert time_of(other, tmp_path) == (None, None)


def test_updates_of_variants_are_counted_together() -> None:
    job = make_job("depo", env="driving", variants=("normal", "inverse"), steps=40_000)
    bursts = job.blocks * job.settings.saving.evaluate_every - 1  # 2,000 random steps are two
    assert updates(job) == bursts * 200 * 2


def test_an_experiment_lists_its_runs(tmp_path: Path, capsys) -> None:
    assert call("reproduce", "fig2", "--scale", "smoke", "--dry-run", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert {row["status"] for row in told["runs"]} == {"new"}
    assert told["out"] == "results/fig2-smoke"
    assert call("reproduce", "fig2", "--scale", "smoke", "--dry-run") == 0
    assert "nothing was written" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())

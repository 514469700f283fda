"""Benchmarks are run by hand, so they rot unseen: what they begin with is tried here."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from depo.methods.presets import preset_settings
from depo.methods.registry import OFF_POLICY

FOLDER = Path(__file__).parents[1] / "benchmarks"


NEEDS_MORE = {"updates_torch"}
"""Runs in an environment of its own, with PyTorch."""
CLOCKS = [(1.0, 4.0, 10.0), (2.0, 8.0, 20.0)]
"""Seconds of three evaluations, at none, half and all of the expert's return."""


@pytest.mark.parametrize("name", sorted({p.stem for p in FOLDER.glob("*.py")} - NEEDS_MORE))
def test_a_benchmark_can_be_imported(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    importlib.import_module(name)


def test_updates_have_a_learner_and_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    updates = importlib.import_module("updates_jax")
    learner = updates.new_learner(preset_settings("depo", "fast", OFF_POLICY, "Hopper-v5"))
    batch, _ = learner.draw(learner.collectors[0])
    assert batch.state.shape == (learner.updates, 128, updates.STATES)


@pytest.fixture
def peers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("peers")


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("peers_table")


def test_a_peers_log_is_no_part_of_its_answer(answers: ModuleType) -> None:
    text = 'Using cpu\n{"seconds": 1.5, "env_steps": 10, "return": 2.0}\n{"other": 1}\n'
    assert answers.parse(text) == [(1.5, 10, 2.0)]


def test_the_table_of_peers_has_ratios_and_who_is_missing(answers: ModuleType) -> None:
    quick, slow = ([answers.Point(t, 100 * i, 50.0 * i) for i, t in enumerate(ts)] for ts in CLOCKS)
    curves = {"depo: depo": [quick, quick, slow], "theirs": [slow, slow, slow[:1]]}
    names = ("depo: depo", "theirs", "gone", "waits")
    about = {name: ("1.0", "states") for name in names}
    lines = answers.table(curves, 100.0, about, {"gone": "cannot be installed here"}).splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    assert {len(row) for row in rows} == {len(rows[0])}
    own, theirs, gone, waits = rows[2:]
    assert own[3:8] == ["3", "100", "4", "100", "1.00"]  # the median seed
    assert theirs[5:8] == ["8", "100", "2.00"]
    assert theirs[8:11] == ["20", "200", "2.00"]
    assert (gone[4], waits[4]) == ("cannot be installed here", "not run")
    never = answers.table({"theirs": [slow[:1]]}, 100.0, {"theirs": about["theirs"]}, {})
    assert "| never | never | – |" in never


def test_a_worker_that_fails_or_says_nothing_is_told(peers: ModuleType, tmp_path: Path) -> None:
    worker = tmp_path / "worker.py"
    who = peers.Contender("theirs", str(worker), "states")
    job = {"seconds": 1.0, "threads": 1}
    worker.write_text("import json, sys\nassert json.load(sys.stdin)['threads'] == 2, 'so it is'")
    with pytest.raises(RuntimeError, match="AssertionError: so it is"):
        peers.measure(Path(sys.executable), who, job)
    worker.write_text("print('hello')")
    with pytest.raises(RuntimeError, match="without an evaluation"):
        peers.measure(Path(sys.executable), who, job)
    row = """print('{"seconds": %d, "env_steps": 2, "return": 3}')\n"""
    worker.write_text(row % 1 + row % 2)  # the second came too late
    assert peers.measure(Path(sys.executable), who, job) == [(1, 2, 3)]


def test_every_contender_has_a_worker_and_names_versions(peers: ModuleType) -> None:
    for contender in peers.contenders():
        assert (peers.WORKERS / contender.worker).exists()
        assert all("==" in package or package == "mujoco" for package in contender.packages)

"""Trackers, recorded by modules that stand in for them: the real ones are slow tests."""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

import depo
from depo.runs.run import Run
from depo.runs.tracking import Track
from depo.runs.training import start
from tests.support.runs import cloning


class Recorder(ModuleType):
    """A package with the functions that wandb and trackio share, and what was asked of it."""

    def __init__(self, name: str, broken_at: int = -1):
        super().__init__(name)
        self.__spec__ = ModuleSpec(name, None)
        self.begun: dict = {}
        self.logged: list[tuple[int, dict]] = []
        self.finished = 0
        self.broken_at = broken_at

    def init(self, **arguments) -> Recorder:
        self.begun = arguments
        return self

    def log(self, values: dict, step: int) -> None:
        if len(self.logged) == self.broken_at:
            raise ConnectionError("no network")
        self.logged.append((step, values))

    def finish(self) -> None:
        self.finished += 1


@pytest.fixture(scope="module")
def untracked(tmp_path_factory) -> Run:
    return start(cloning(), tmp_path_factory.mktemp("untracked") / "run")


def same(run: Run, other: Run) -> bool:
    """Bit for bit: metrics, and every file of what was learned but the card's signature."""
    files = ["metrics.csv", "policy/seed-0/weights.safetensors"]
    return all((run.path / f).read_bytes() == (other.path / f).read_bytes() for f in files)


@pytest.mark.parametrize("name", ["wandb", "trackio"])
def test_a_tracker_has_every_row_and_changes_nothing(
    name: str, untracked: Run, tmp_path: Path, monkeypatch
) -> None:
    recorder = Recorder(name)
    monkeypatch.setitem(sys.modules, name, recorder)
    run = start(cloning(), tmp_path / "run", [Track(name)])
    assert same(run, untracked)
    assert recorder.begun["project"] == "depo"
    assert recorder.begun["name"] == "run"
    assert recorder.begun["config"]["method"] == "bco"
    assert recorder.finished == 1
    for row, (step, values) in zip(run.metrics(), recorder.logged, strict=True):
        assert step == row["env_steps"]
        assert values == {k: v for k, v in row.items() if k in values}
        assert set(row) - set(values) <= {"seed", "env_steps"} | {
            k for k in row if row[k] != row[k]
        }


def test_a_tracker_that_fails_is_given_up(
    untracked: Run, tmp_path: Path, monkeypatch, caplog
) -> None:
    recorder = Recorder("wandb", broken_at=2)
    monkeypatch.setitem(sys.modules, "wandb", recorder)
    run = start(cloning(), tmp_path / "run", [Track("wandb")])
    assert run.status() == "finished"
    assert same(run, untracked)
    assert len(recorder.logged) == 2
    said = [r.getMessage() for r in caplog.records if "wandb failed" in r.getMessage()]
    assert len(said) == 1
    assert "ConnectionError: no network" in said[0]


@pytest.mark.wrong_types
def test_what_is_missing_or_unknown_gets_a_sentence(monkeypatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(depo.DepoError, match=r"pip install 'depo\[track\]'"):
        Track("trackio")
    with pytest.raises(depo.DepoError, match="unknown tracker 'wandp': did you mean 'wandb'"):
        Track("wandp")
    assert repr(Track("tensorboard")) == "Track('tensorboard')"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["wandb", "trackio"])
def test_the_real_package_takes_it_offline(
    name: str, untracked: Run, tmp_path: Path, monkeypatch, caplog
) -> None:
    pytest.importorskip(name)
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path / "trackio"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)
    run = start(cloning(), tmp_path / "run", [Track(name)])
    assert same(run, untracked)
    assert not [r for r in caplog.records if "failed" in r.getMessage()]
    kept = list(tmp_path.rglob("*.wandb" if name == "wandb" else "*.db"))
    assert any(file.stat().st_size > 0 for file in kept)

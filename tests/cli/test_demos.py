"""What is known of demonstrations."""

from __future__ import annotations

import json
from pathlib import Path

from depo.environments.grid.gridworld import GridWorld
from depo.runs.training import begin
from tests.support.command import call
from tests.support.runs import cloning


def test_the_shipped_list(capsys) -> None:
    assert call("demos", "list", "--json") == 0
    assert {row["name"] for row in json.loads(capsys.readouterr().out)} >= {"gridworld"}


def test_what_is_too_large_is_told_what_to_lower(monkeypatch, tmp_path: Path, capsys) -> None:
    """Not the flags of a training."""

    def too_large(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(GridWorld, "demonstrations", too_large)
    assert call("demos", "make", tmp_path / "x.npz") == 2
    said = capsys.readouterr().err
    assert "lower --episodes" in said
    assert "--hidden" not in said


def test_a_run_on_finite_states_is_not_recorded(tmp_path: Path, capsys) -> None:
    begin(cloning(), tmp_path / "run")
    assert call("demos", "record", tmp_path / "run", tmp_path / "x.npz") == 2
    assert "policies on vector states are recorded" in capsys.readouterr().err

"""The zoo on the command line, and what a name stands for in other commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import call


def test_it_lists_and_shows_cards(capsys) -> None:
    assert call("zoo", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert "grid" in {entry["name"] for entry in listed}
    assert call("zoo") == 0
    assert "zoo:grid" in capsys.readouterr().out
    assert call("zoo", "grid") == 0
    assert "library_name: depo" in capsys.readouterr().out.splitlines()
    assert call("zoo", "gird") == 2
    assert "did you mean 'grid'" in capsys.readouterr().err


def test_a_name_is_exported_pulled_pushed_and_transferred(
    tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("export", "zoo:grid", "--format", "numpy", "-o", "plain", "--json") == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert files == ["manifest.json", "planner.npz", "policy.py", "run.py", "skill.npz"]
    assert call("pull", "zoo:grid", "-o", "grid") == 0
    assert call("push", "grid/planner", "shared/planner") == 0
    assert call("push", "grid/planner", "shared/planner") == 2
    assert "--force" in capsys.readouterr().err
    assert call("transfer", "zoo:grid", "--k", "2", "--dry-run", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["environment"] == "gridworld-6x6-k2"
    assert call("transfer", "zoo:gird", "--k", "2") == 2
    assert "unknown model of the zoo 'gird'" in capsys.readouterr().err

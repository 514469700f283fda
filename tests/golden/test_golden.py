"""Trajectories are as they were: bit for bit where they were recorded, nearly so elsewhere.

If a change is meant to change numbers, say so in its message and record anew: see ``record``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden import reference
from tests.golden.cases import CASES, QUICK, Case, run_case
from tests.golden.trajectory import (
    first_difference,
    metrics_difference,
    state_digests,
    trajectory_of,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shared, so that a planner which several transfers carry is trained once."""
    return tmp_path_factory.mktemp("golden")


def _parameter(case: Case):
    return pytest.param(case, id=case.name, marks=() if case.name in QUICK else pytest.mark.slow)


@pytest.mark.parametrize("case", [_parameter(case) for case in CASES])
def test_a_trajectory_is_as_it_was(case: Case, folder: Path) -> None:
    run = run_case(case, folder)
    now = trajectory_of(run)
    before = reference.read(reference.machine_key()).get(case.name)
    if before is not None:
        found = first_difference(now, before)
        new = {name for name, value in state_digests(run).items() if value not in before["state"]}
        assert not found, f"{case.name}: {found}\nnew in the state: {sorted(new)}"
        return
    elsewhere = reference.read_any(case.name)
    assert elsewhere is not None, f"{case.name} was never recorded: python -m tests.golden.record"
    found = metrics_difference(now["metrics"], elsewhere["metrics"], exactly=False)
    assert not found, f"{case.name}, recorded on another machine: {found}"


def test_one_changed_bit_is_named() -> None:
    before = {
        "metrics": {"seed": [0.0, 0.0], "env_steps": [5.0, 10.0], "return": [1.0, 2.0]},
        "exported": {"planner/seed-0: bias": "aa"},
        "state": ["aa", "bb", "bb"],
        "replay": [],
    }
    moved = {**before["metrics"], "return": [1.0, 2.0000000000000004]}
    assert not first_difference(before, before)
    said = first_difference({**before, "metrics": moved}, before)
    assert said == "column 'return', row 1: 2.0000000000000004, not 2.0"
    assert not metrics_difference(moved, before["metrics"], exactly=False)
    assert "planner/seed-0: bias" in first_difference({**before, "exported": {}}, before)
    assert "1 are gone" in first_difference({**before, "state": ["aa", "bb"]}, before)

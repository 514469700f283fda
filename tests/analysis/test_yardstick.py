from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from depo.analysis.yardstick import (
    Yardstick,
    lacks_returns,
    random_scores,
    yardstick_file,
    yardstick_of,
)
from depo.environments.grid.family import GridFamily
from depo.runs.run import Run
from tests.support.kept_runs import GRID, POINT, kept_run


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPO_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Environments in which the random policy was really played."""
    found: list[str] = []

    def play(self: GridFamily, environment: object, episodes: int) -> dict[str, float]:
        found.append(environment.label)  # type: ignore[attr-defined]
        return {"return": 0.5, "success": 0.25}

    monkeypatch.setattr(GridFamily, "random_scores", play)
    return found


@pytest.mark.parametrize(("random", "expert"), [(-1200.0, -200.0), (20.0, 3600.0), (-10.0, 5.0)])
def test_relative_scores_are_right_whatever_the_sign(random: float, expert: float) -> None:
    known = Yardstick({"return": random}, {"return": expert})
    assert known.relative("return", random) == 0.0
    assert known.relative("return", expert) == 1.0
    assert known.relative("return", (random + expert) / 2) == 0.5
    assert known.relative("return", random - (expert - random)) == -1.0


def test_an_expert_below_random_is_no_yardstick() -> None:
    assert math.isnan(Yardstick({"return": 1.0}, {"return": 0.0}).relative("return", 0.5))
    assert math.isnan(Yardstick({}, {"return": 0.0}).relative("return", 0.5))


def test_the_random_policy_is_played_once_and_kept(tmp_path: Path, played: list[str]) -> None:
    run = Run.open(kept_run(GRID, tmp_path / "run"))
    first = yardstick_of(run)
    assert first.random == {"return": 0.5, "success": 0.25}
    assert first.expert["success"] == 1.0
    assert yardstick_of(run) == first
    assert played == [run.job.environment.label]
    assert yardstick_file(run.job.environment).is_file()


@pytest.mark.parametrize("text", ["", "{", '{"format": 1, "scores": {"return": 9}}'])
def test_what_is_kept_and_cannot_be_read_is_measured_again(
    tmp_path: Path, played: list[str], text: str
) -> None:
    run = Run.open(kept_run(GRID, tmp_path / "run"))
    random_scores(run)
    yardstick_file(run.job.environment).write_text(text)
    assert random_scores(run)["return"] == 0.5
    assert len(played) == 2


def test_without_a_place_to_keep_it_it_is_played_each_time(
    tmp_path: Path, played: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DEPO_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # nobody knows a home folder
    run = Run.open(kept_run(GRID, tmp_path / "run"))
    assert [random_scores(run)["return"] for _ in range(2)] == [0.5, 0.5]
    assert len(played) == 2


def test_nothing_is_played_where_nobody_wants_it(tmp_path: Path, played: list[str]) -> None:
    found = yardstick_of(Run.open(kept_run(GRID, tmp_path / "run")), measure=False)
    assert found.random == {}
    assert "not played in gridworld" in found.note
    assert played == []


def test_a_strangers_module_is_not_imported_for_it(tmp_path: Path) -> None:
    found = yardstick_of(Run.open(kept_run(POINT, tmp_path / "run")))
    assert found.random == {}
    assert "--trust" in found.note


def test_a_recording_without_returns_is_known_as_such(tmp_path: Path) -> None:
    assert lacks_returns(Run.open(kept_run(POINT, tmp_path / "point")))
    assert not lacks_returns(Run.open(kept_run(GRID, tmp_path / "grid")))

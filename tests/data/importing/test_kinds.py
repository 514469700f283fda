"""Signals that turn out to be angles, also late in a file, and those that never do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from depo.data.importing.wrapping import Wrap, wrap_of
from tests.support.recordings import import_here, write_csv

ROWS = np.arange(600)
TIME = ROWS / 50


@pytest.mark.parametrize(
    "values",
    [
        ROWS % 5,  # a counter
        ROWS % 6,
        ROWS // 20 % 6,  # a phase that is held
        1.5 * (ROWS // 20 % 4),  # a set point
        ROWS % 355,  # a timer
        (ROWS % 61) / 10,
        ROWS % 256,
    ],
)
def test_what_counts_or_names_is_no_angle(values: np.ndarray) -> None:
    assert wrap_of(values.astype(float)) is None


@pytest.mark.parametrize("turn", [2 * np.pi, 360.0])
def test_an_angle_is_told_from_its_steps(turn: float) -> None:
    """Also if whole, noisy, quick at the jump alone, or resting there."""
    noise = np.random.default_rng(0).normal(0, 2e-3, 600)
    quick = np.where(np.abs(ROWS - 300) < 8, 0.08, 0.0) + 1e-4 * noise
    for angle in (
        0.01 * ROWS,
        0.3 + 0.4 * np.sin(0.02 * ROWS) + noise,
        np.cumsum(quick) + 0.4,
        0.5 + noise,
    ):
        shown = (angle * turn + turn / 2) % turn - turn / 2
        assert wrap_of(shown) == Wrap(turn, -turn / 2)
    assert wrap_of(np.round(ROWS * 7.0) % 360) == Wrap(360.0, 0.0)


def test_a_heading_that_is_noise_while_nothing_moves(tmp_path: Path) -> None:
    """Its name says what its jumps cannot."""
    rng = np.random.default_rng(1)
    course = np.where(ROWS < 300, rng.uniform(0, 360, 600), 0.9 * ROWS) % 360
    path = write_csv(tmp_path / "a.csv", {"t": TIME, "course": course, "other": course})
    found = import_here(path, {}, step=0.03)
    own = found.demonstrations().observations[220:, 0]
    truth = 0.9 * 50 * 0.03 * np.arange(220, 220 + len(own))
    np.testing.assert_allclose((own - truth + 180) % 360, 180, atol=1e-2)
    assert [note.split()[0] for note in found.reports[0].notes] == ["course"]


def test_where_another_episode_begins_is_no_jump(tmp_path: Path) -> None:
    """From 350 to 100 degrees goes the heading of another trip; it made all of them averaged."""
    turns = np.concatenate([(150.5 + ROWS[:200]) % 360, (100.5 + 1.5 * ROWS[:200]) % 360])
    trip = ROWS[:400] // 200
    path = write_csv(tmp_path / "a.csv", {"t": TIME[:400], "trip": trip, "turned": turns})
    found = import_here(path, {"episode": "trip"}, step=0.013)
    own = found.demonstrations().observations[:, 0]
    starts = np.cumsum([0, *found.demonstrations().episode_lengths])[:2]
    for start, first in zip(starts, (150.5, 100.5), strict=True):
        truth = first + (first > 120 or 1.5) * 0.65 * np.arange(300)
        np.testing.assert_allclose((own[start : start + 300] - truth + 180) % 360, 180, atol=1e-2)


@pytest.mark.parametrize("turn", [2 * np.pi, 360.0])
def test_an_angle_that_jumps_late_in_a_file(tmp_path: Path, monkeypatch, turn: float) -> None:
    """Only the first chunk of a file was looked at."""
    monkeypatch.setattr("depo.data.importing.text.CHUNK", 1_000)
    angle = (0.1 + 0.002 * ROWS) * turn
    path = write_csv(tmp_path / "a.csv", {"t": TIME, "turned": angle % turn, "x": TIME})
    found = import_here(path, {}, step=0.013)
    own = found.demonstrations().observations[:, 0]
    truth = (0.1 + 0.1 * 0.013 * np.arange(len(own))) * turn
    np.testing.assert_allclose((own - truth + turn / 2) % turn, turn / 2, atol=1e-4 * turn)
    assert own.max() <= turn * (1 + 1e-6)
    assert found.demonstrations().episodes == 1

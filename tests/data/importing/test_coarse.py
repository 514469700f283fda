"""Times that several rows share, features that are times, and numbers too far from 0."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.recordings import import_here, write_csv

TIME = np.arange(600) / 25


@pytest.mark.parametrize("coarse", [1.0, 0.2, 0.1])  # 25 rows, 5, two or three
def test_rows_of_one_time_are_spread_until_the_next(
    tmp_path: Path, coarse: float, monkeypatch
) -> None:
    """All but the first of them were left out, as repeated."""
    monkeypatch.setattr("depo.data.importing.text.CHUNK", 3_000)
    time = TIME[7:]
    said = np.floor(time / coarse + 1e-9) * coarse
    path = write_csv(tmp_path / "a.csv", {"t": said, "x": np.sin(time)})
    found = import_here(path, {}, step=0.04)
    own = found.demonstrations().observations[:, 0]
    assert abs(len(own) - len(time)) <= 1
    np.testing.assert_allclose(own, np.sin(time[0] + 0.04 * np.arange(len(own))), atol=0.021)
    assert found.reports[0].notes[0].startswith("'t' is the same in several rows")


def test_whole_seconds_of_a_clock(tmp_path: Path) -> None:
    clock = [f"2024-05-01 10:00:{int(s):02d}" for s in TIME]
    found = import_here(write_csv(tmp_path / "a.csv", {"stamp": clock, "x": np.sin(TIME)}), {})
    np.testing.assert_allclose(found.demonstrations().observations[:, 0], np.sin(TIME), atol=1e-6)
    assert found.time_step == pytest.approx(0.04)


def test_a_gap_in_coarse_times_is_a_gap(tmp_path: Path) -> None:
    said = np.floor(np.where(TIME < 8, TIME, TIME + 20))
    found = import_here(write_csv(tmp_path / "a.csv", {"t": said, "x": np.sin(TIME)}), {})
    assert found.demonstrations().episode_lengths.tolist() == [200, 400]


def test_copies_of_rows_are_left_out(tmp_path: Path) -> None:
    twice = np.repeat(TIME, 2)
    found = import_here(write_csv(tmp_path / "a.csv", {"t": twice, "x": np.sin(twice)}), {})
    assert len(found.demonstrations().observations) == 600


def test_what_may_be_a_time_is_said(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", {"X_Value": TIME, "x": np.sin(TIME)})
    assert import_here(path, {}).reports[0].notes[0].startswith("'X_Value' grows by the same")


def test_steps_that_float32_rounds_away_are_said(tmp_path: Path) -> None:
    columns = {"t": TIME, "north": 5.4e6 + 20 * np.sin(TIME), "east": 20 * np.sin(TIME)}
    notes = import_here(write_csv(tmp_path / "a.csv", columns), {}).reports[0].notes
    assert len(notes) == 1
    assert notes[0].startswith("'north' lies so far from 0")

"""Numbers that mean that there is none, and codes between which nothing lies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from depo.data.importing.codes import MissingCodes
from depo.data.importing.report import FileReport
from tests.support.recordings import import_here, write_csv

TIME = np.arange(200) / 50
WAVE = np.sin(TIME)


@pytest.mark.parametrize("code", [-999.0, -9999.0, -999.25, 9999.0, 1e20, -32768.0])
def test_what_means_missing_is_no_number(tmp_path: Path, code: float) -> None:
    """It was interpolated and learned."""
    rows = WAVE.copy()
    rows[[50, 51, 120]] = code
    found = import_here(write_csv(tmp_path / "a.csv", {"t": TIME, "x": rows, "y": WAVE}), {})
    np.testing.assert_allclose(found.demonstrations().observations[:, 0], WAVE, atol=1e-3)
    assert found.reports[0].notes == [
        f"'x' is {code:.10g} in some rows, far from all its other numbers: taken for missing"
    ]


def test_a_code_among_other_numbers_is_a_number() -> None:
    report = FileReport("a")
    for rows in (np.linspace(-1_500, 1_500, 301), np.linspace(0, 9_999, 101), np.full(50, -999.0)):
        rows[0] = -999
        np.testing.assert_array_equal(
            MissingCodes(["x"], report).without(rows[:, None])[:, 0], rows
        )
    assert report.notes == []


def test_a_code_is_told_by_earlier_chunks_too() -> None:
    own = MissingCodes(["x"], FileReport("a"))
    own.without(WAVE[:, None])
    assert np.isnan(own.without(np.full((3, 1), -999.0))).all()


def test_between_codes_nothing_is_made_up(tmp_path: Path) -> None:
    """A contact of 0.43 was, and a gear between second and fourth."""
    contact, gear = (np.arange(200) // 10 % 2), np.array([1, 2, 4])[np.arange(200) // 30 % 3]
    path = write_csv(tmp_path / "a.csv", {"t": TIME, "contact": contact, "gear": gear, "x": WAVE})
    found = import_here(path, {}, step=0.013)
    states = found.demonstrations().observations
    rows = np.floor(np.arange(len(states)) * 0.013 / 0.02 + 1e-6).astype(int)
    np.testing.assert_array_equal(states[:, :2], np.stack([contact, gear], 1)[rows])
    assert np.abs(np.diff(states[:, 2])).max() < 0.0131
    assert "contact, gear: few whole numbers" in found.reports[0].notes[-1]
    same = import_here(path, {"columns": ("contact:linear",)}, step=0.013)
    assert len(np.unique(same.demonstrations().observations)) > 2


def test_what_was_whole_only_at_first_is_interpolated(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("depo.data.importing.text.CHUNK", 1_000)
    late = np.where(np.arange(200) < 100, np.arange(200) // 10 % 2, 0.5 + WAVE)
    path = write_csv(tmp_path / "a.csv", {"t": TIME, "x": late})
    states = import_here(path, {}, step=0.013).demonstrations().observations[:, 0]
    at = 0.013 * np.arange(len(states))
    np.testing.assert_allclose(states[at > 2.5], 0.5 + np.sin(at[at > 2.5]), atol=1e-3)

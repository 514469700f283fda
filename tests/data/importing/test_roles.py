"""Clocks, stamps and other columns that are no part of a state."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from depo.core.errors import DepoError
from depo.data.importing.clock import guessed_unit
from tests.support.recordings import import_here

START = datetime(2024, 5, 31, 23, 59, 59, 500_000)
MOMENTS = [START + timedelta(milliseconds=20 * i) for i in range(60)]
EPOCH_NS = [1_717_200_000_123_456_789 + 20_000_000 * i for i in range(60)]


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("timestamp", [m.isoformat() + "+02:00" for m in MOMENTS]),
        ("Timestamp", [m.strftime("%m/%d/%Y %I:%M:%S.%f %p") for m in MOMENTS]),
        ("time", [m.strftime("%H:%M:%S.%f") for m in MOMENTS]),
        ("time", [m.strftime("%M:%S.%f") for m in MOMENTS[30:]] * 2),
        ("timestamp", [str(ns // 1_000_000) for ns in EPOCH_NS]),
        ("TimeUS", [str(ns // 1_000) for ns in EPOCH_NS]),
        ("GPS Time", [str(ns / 1e9) for ns in EPOCH_NS]),
        ("UTC", [m.isoformat() for m in MOMENTS]),
        ("DateTime", [f"{45_000.25 + 0.02 * i / 86_400:.12f}" for i in range(60)]),
        ("timestamp", [str(ns) for ns in EPOCH_NS]),
        ("%time", [str(ns) for ns in EPOCH_NS]),
        (
            "header.seq,header.stamp.secs,header.stamp.nsecs",
            [f"{i},{ns // 10**9},{ns % 10**9}" for i, ns in enumerate(EPOCH_NS)],
        ),
    ],
    ids=[
        "zone",
        "am pm",
        "of day",
        "of hour",
        "ms",
        "us",
        "gps",
        "utc",
        "days",
        "ns",
        "rostopic",
        "stamp",
    ],
)
def test_clocks(tmp_path: Path, header: str, cells: list[str]) -> None:
    rows = [f"{cell},{0.5 * i}" for i, cell in enumerate(cells)]
    (tmp_path / "a.csv").write_text("\n".join([f"{header},x", *rows, ""]))
    demos = import_here(tmp_path / "a.csv", {}, step=0.02).demonstrations()
    assert demos.feature_names == ("x",)
    lengths = [30, 30] if cells[0] == cells[30] else [60]  # there the clock is set back
    assert demos.episode_lengths.tolist() == lengths
    np.testing.assert_allclose(demos.observations[:, 0], 0.5 * np.arange(60), atol=1e-3)


@pytest.mark.parametrize(("since", "unit"), [(1e9, "us"), (1.7e9, "s"), (1.7e12, "ms")])
def test_large_numbers_are_times_since_1970_if_their_steps_fit(since: float, unit: str) -> None:
    step = {"us": 20_000, "s": 1, "ms": 1_000}[unit]
    assert guessed_unit(since + step * np.arange(10.0)).name == unit


def test_times_that_go_down_are_refused(tmp_path: Path) -> None:
    rows = [f"{-i},{i}" for i in range(20)]
    (tmp_path / "a.csv").write_text("\n".join(["t,x", *rows]))
    with pytest.raises(DepoError, match="'t' go down from row to row: sort the file"):
        import_here(tmp_path / "a.csv", {})


def test_what_is_no_state_is_left_out_and_said(tmp_path: Path) -> None:
    header = "Unnamed: 0,timestep,obs_0,obs_1,action_0,reward,next_obs_0,next_obs_1"
    rows = [f"{i},{i},{i},{2 * i},0,1,{i + 1},{2 * i + 2}" for i in range(12)]
    (tmp_path / "a.csv").write_text("\n".join([header, *rows, ""]))
    found = import_here(tmp_path / "a.csv", {})
    assert found.demonstrations().feature_names == ("obs_0", "obs_1")
    assert "action_0" in found.reports[0].notes[0]

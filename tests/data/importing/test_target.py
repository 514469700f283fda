"""Columns by the names that an environment gives its numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from depo.core.errors import DepoError
from depo.data.importing.target import Target
from tests.support.recordings import import_here, write_csv

ARM = Target("Arm-v0", 3, ("hip", "Knee", "speed"))


def log(path: Path, **more: Any) -> Path:
    columns = {"speed [mm/s]": [1e3, 2e3, 3e3], "t": [0.0, 0.1, 0.2], "knee [deg]": [180.0] * 3}
    return write_csv(path, {**columns, "hip": [0.1, 0.2, 0.3], **more})


def test_columns_are_found_by_name_in_the_environments_order(tmp_path: Path) -> None:
    log(tmp_path / "a.csv", battery=[1.0, 2, 3])
    write_csv(
        tmp_path / "b.csv",
        {"hip": [0.1] * 3, "knee": [0.0] * 3, "speed": [1.0] * 3, "t": [0, 1, 2]},
    )
    found = import_here(tmp_path, {}, target=ARM)
    assert found.names == ("hip", "Knee", "speed")
    states = found.demonstrations().observations
    np.testing.assert_allclose(states[:3], [[0.1, np.pi, 1], [0.2, np.pi, 2], [0.3, np.pi, 3]])
    np.testing.assert_allclose(states[3:], [[0.1, 0, 1]] * 3)
    notes = found.reports[0].notes
    assert "columns are put in the order of Arm-v0, by their names" in notes
    assert "columns left out: battery" in notes


def test_columns_of_other_names_are_taken_in_the_files_order_and_said(tmp_path: Path) -> None:
    path = log(tmp_path / "a.csv")
    found = import_here(path, {}, target=Target("E", 3, ("hip", "knee", "velocity")))
    assert found.names == ("speed", "knee", "hip")
    assert "the same are hip = speed, velocity = hip (if" in found.reports[0].notes[-1]
    twice = {"hip [deg]": [0.0] * 3}
    with pytest.raises(DepoError, match=r"give 4 .*; none is called velocity: choose and order"):
        import_here(
            log(tmp_path / "b.csv", **twice), {"columns": ("hip", "knee", "speed", "x=hip [deg]")},
            target=Target("E", 3, ("hip", "knee", "velocity")),
        )  # fmt: skip


def test_two_columns_of_one_name_are_not_chosen_between(tmp_path: Path) -> None:
    path = write_csv(
        tmp_path / "a.csv", {"t": [0.0, 0.1], "x [m]": [1.0, 2], "x [mm]": [1.0, 2], "y": [0.0, 0]}
    )
    with pytest.raises(DepoError, match="two features would be called 'x'"):
        import_here(path, {}, target=Target("E", 2, ("x", "y")))


def test_a_row_for_each_value_is_refused_with_what_to_do(tmp_path: Path) -> None:
    columns = {"time": [0.0, 0.0, 0.1, 0.1], "name": ["hip", "knee"] * 2, "value": [1.0, 2, 3, 4]}
    path = write_csv(tmp_path / "a.csv", columns)
    with pytest.raises(DepoError, match=r"DataFrame.pivot\('name', index='time', values='value'\)"):
        import_here(path, {})
    assert import_here(path, {"columns": ("value",)}).names == ("value",)


def test_a_header_may_hold_what_means_something_elsewhere(tmp_path: Path) -> None:
    columns = {"t": [0.0, 0.1], "speed": [1.0, 2], "Yaw, left": [3.0, 4], "x:m": [5.0, 6]}
    path = write_csv(tmp_path / "a.csv", {f'"{name}"': values for name, values in columns.items()})
    found = import_here(path, {}, target=Target("E", 3, ("yaw, left", "X:m", "speed")))
    assert found.names == ("yaw, left", "X:m", "speed")
    assert found.demonstrations().observations.tolist() == [[3, 5, 1], [4, 6, 2]]


def test_a_range_that_somebody_said_is_not_the_environments(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", {"t": [0.0, 0.1], "yaw [rad]": [4.0, 4.1]})
    target = Target("E", 1, ("yaw",), lows={0: 0.0})
    for column, first in (("yaw", 4.0), ("yaw:wrapped", 4.0 - 2 * np.pi), ("yaw:angle", 4.0)):
        found = import_here(path, {"columns": (column,)}, target=target)
        assert found.demonstrations().observations[0] == pytest.approx(first, abs=1e-6)
        is_said = any("put in the range" in note for note in found.reports[0].notes)
        assert is_said == (column == "yaw")


def test_positions_by_name_come_before_their_velocities(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", {"t": [0.0, 0.1], "knee": [0.0, 1.0], "hip": [5.0, 5.5]})
    target = Target("Leg-v0", 4, ("hip", "knee", "hip_dot", "knee_dot"))
    found = import_here(path, {"velocities": True}, target=target)
    assert found.names == ("hip", "knee", "hip_velocity", "knee_velocity")
    states = found.demonstrations().observations
    np.testing.assert_allclose(states, [[5, 0, 5, 10], [5.5, 1, 5, 10]], rtol=1e-5)


@pytest.mark.parametrize("is_step", [True, False])
def test_rows_that_are_steps_need_no_environment_that_says_how_long_one_is(
    tmp_path: Path, is_step: bool
) -> None:
    more = {"action": [0.0] * 3, "reward": [1.0] * 3} if is_step else {"z": [0.0] * 3}
    path = write_csv(tmp_path / "a.csv", {"x": [1.0, 2.0, 3.0], **more})
    target = Target("E", 1, ("x",), says_step=False)
    if is_step:
        found = import_here(path, {}, target=target)
        assert found.demonstrations().observations.tolist() == [[1.0], [2.0], [3.0]]
        assert found.time_step is None
    else:
        with pytest.raises(DepoError, match="does not say how long a step is"):
            import_here(path, {}, target=target)

"""Angles and quaternions that only their numbers and names tell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from depo.data.importing.wrapping import are_quaternions, wrap_of
from tests.support.recordings import import_here, write_csv

TIME = np.arange(100) / 50


@pytest.mark.parametrize("turn", [2 * np.pi, 360.0])
@pytest.mark.parametrize("low", [0.0, -0.5])
def test_an_angle_without_a_unit_is_not_averaged_across_its_jump(
    tmp_path: Path, turn: float, low: float
) -> None:
    angle = 0.8 * turn * TIME + 0.3 * turn
    kept = (angle - low * turn) % turn + low * turn
    path = write_csv(tmp_path / "a.csv", {"t": TIME, "yaw": kept, "x": TIME})
    found = import_here(path, {}, step=0.015)
    own = found.demonstrations().observations[:, 0]
    expected = 0.8 * turn * 0.015 * np.arange(len(own)) + 0.3 * turn
    np.testing.assert_allclose((own - expected + turn / 2) % turn, turn / 2, atol=1e-4 * turn)
    assert own.min() >= low * turn - 1e-6
    assert own.max() <= (low + 1) * turn + 1e-6
    assert "yaw jumps by" in found.reports[0].notes[0]


def test_what_never_jumps_by_a_turn_is_no_angle() -> None:
    generator = np.random.default_rng(0)
    assert wrap_of(generator.normal(size=500)) is None
    assert wrap_of(np.where(np.arange(100) % 50 < 25, 0.0, 3.0)) is None
    assert wrap_of(generator.uniform(-np.pi, np.pi, 500)) is None


@pytest.mark.parametrize(
    "names", [("qx", "qy", "qz", "qw"), tuple(f"pose.orientation.{axis}" for axis in "wxyz")]
)
def test_a_quaternion_by_its_names(tmp_path: Path, names: tuple[str, ...]) -> None:
    half = 0.5 * TIME + 0.2
    parts = {"w": np.cos(half), "x": np.sin(half), "y": 0 * half, "z": 0 * half}
    sign = np.where(np.arange(100) < 40, 1.0, -1.0)  # as some loggers do
    columns = {name: sign * parts[name[-1]] for name in names}
    found = import_here(write_csv(tmp_path / "a.csv", {"t": TIME, **columns}), {}, step=0.01)
    states = found.demonstrations().observations
    at = 0.5 * 0.01 * np.arange(len(states)) + 0.2
    np.testing.assert_allclose(
        states[:, names.index(next(n for n in names if n[-1] == "w"))], np.cos(at), atol=1e-5
    )
    assert "a quaternion by its names" in found.reports[0].notes[0]


def test_four_columns_of_other_lengths_are_no_quaternion(tmp_path: Path) -> None:
    columns = {f"box_{axis}": TIME * 2 + 3 for axis in "xyzw"}
    found = import_here(write_csv(tmp_path / "a.csv", {"t": TIME, **columns}), {})
    np.testing.assert_allclose(found.demonstrations().observations[:, 0], TIME * 2 + 3, atol=1e-5)
    assert found.reports[0].notes == []


def test_numbers_too_long_to_have_a_length_are_no_quaternions() -> None:
    """And are not said to overflow, in NumPy's words."""
    with np.errstate(over="raise"):
        assert not are_quaternions(np.full((9, 4), 1e200))

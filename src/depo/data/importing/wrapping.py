"""Angles whose unit nobody says, told by their jumps of a turn, and quaternions told by names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from depo.data.importing.resampling import TURN

TURNS = (TURN, 360.0)
NEAR, SMALL = 0.02, 0.25
"""Parts of a turn: by which a jump may miss one, and that usual steps stay below."""
UNIT = 0.05
"""By how much the length of a quaternion may differ from 1."""


class Wrap(NamedTuple):
    """An angle's turn, and the end of the range that it is kept in."""

    turn: float
    low: float

    def put_back(self, angle: np.ndarray) -> np.ndarray:
        """The same angle in the range.

        >>> Wrap(360.0, -180.0).put_back(np.array([190.0, -180.0])).tolist()
        [-170.0, -180.0]
        """
        return angle - self.turn * np.floor((angle - self.low) / self.turn)


def in_turn(angle: np.ndarray, low: float) -> np.ndarray:
    """An angle (rad) in the turn that begins at −π, (−π, π], or at 0, [0, 2π).

    >>> in_turn(np.array([np.pi, 4.0]), -np.pi).round(2).tolist()
    [3.14, -2.28]
    >>> in_turn(np.array([-0.5, 2 * np.pi, -1e-17]), 0.0).round(2).tolist()
    [5.78, 0.0, 0.0]
    """
    if low < 0:
        return angle - TURN * np.ceil((angle - low - TURN) / TURN)
    found = angle - TURN * np.floor((angle - low) / TURN)
    return np.where(found < low + TURN, found, low)  # a hair below 0 is rounded up to a turn


def wrap_of(values: np.ndarray) -> Wrap | None:
    """The turn by which an angle jumps; None: it does not, or is none.

    >>> wrap_of(np.array([3.0, 3.1, -3.1, -3.0])).low.__round__(2), wrap_of(np.arange(4.0))
    (-3.14, None)
    """
    good = values[np.isfinite(values)]
    return wrap_within(good, np.diff(good))


def wrap_within(good: np.ndarray, steps: np.ndarray) -> Wrap | None:
    """The same of values without gaps and the steps between them, of several episodes or one."""
    if len(good) < 3:
        return None
    steps = np.abs(steps)
    for turn in TURNS:
        low = 0.0 if good.min() >= 0 else -turn / 2
        slack = 1e-3 * turn
        jumps = steps > 0.6 * turn
        if good.min() < low - slack or good.max() > low + turn + slack or not jumps.any():
            continue
        usual = float(np.quantile(steps[~jumps], 0.99)) if (~jumps).any() else np.inf
        left = np.abs(steps[jumps] - turn)
        if usual < SMALL * turn and (left <= max(3 * usual, NEAR * turn)).all():
            return Wrap(turn, low)
    return None


def are_quaternions(values: np.ndarray) -> bool:
    """Whether rows of four numbers have length 1."""
    good = values[np.isfinite(values).all(axis=1)]
    if not len(good):
        return False
    with np.errstate(over="ignore"):  # too long to have a length
        is_unit = np.abs(np.linalg.norm(good, axis=1) - 1) <= UNIT
    return bool(is_unit.mean() > 0.9)


def spans(widths: Sequence[int]) -> list[slice]:
    """Where each signal's columns are."""
    return [slice(int(a), int(b)) for a, b in pairwise(np.cumsum([0, *widths]))]

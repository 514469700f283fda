"""Angles whose unit nobody says, told by their jumps of a turn, and quaternions told by names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from depo.data.importing.resampling import TURN

TURNS = (TURN, 360.0)
JUMP, SMALL = 0.6, 0.25
"""Parts of a turn: that a jump is above, and that other steps, and those that go on through a jump,
stay below."""
LIKE, GRAIN, MOST = 1.5, 0.005, 0.9
"""Of usual steps, that a step through a jump may be; the part of a turn that rounding may add; the
share of jumps of which that holds."""
FEW, OFTEN = 16, 4
"""Numbers so few, each so often, are names of something and no radians."""
CALLED = re.compile(
    r"(^|[\W_])(yaw|heading|hdg|course|cog|bearing|azimuth|azi|compass|psi)([\W_]|deg|rad|$)",
    re.IGNORECASE,
)
"""What angles of a whole turn are called, whatever they do where nothing moves."""
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


def wrap_of(
    values: np.ndarray,
    parts: np.ndarray | None = None,
    *,
    name: str = "",
    ends: Sequence[float] = (),
) -> Wrap | None:
    """The turn by which an angle jumps; None: it does not, or is none.

    ``parts`` has a number for each value: a step from one part to another is none. ``ends``: of all
    values that are known, where these are some of them.

    >>> wrap_of(np.array([3.0, 3.1, -3.1, -3.0])).low.__round__(2), wrap_of(np.arange(4.0))
    (-3.14, None)
    >>> wrap_of(np.arange(40.0) % 5)  # a counter
    """
    is_good = np.isfinite(values)
    good = values[is_good]
    steps = np.diff(good)
    if parts is not None:
        steps = steps[np.diff(parts[is_good]) == 0]
    return wrap_within(good, steps, name=name, ends=ends)


def wrap_within(
    good: np.ndarray, steps: np.ndarray, *, name: str = "", ends: Sequence[float] = ()
) -> Wrap | None:
    """The same of values without gaps and the steps between them, of several episodes or one."""
    if len(good) < 3 or not len(steps):
        return None
    lowest, highest = min([good.min(), *ends]), max([good.max(), *ends])
    for turn in TURNS:
        low = 0.0 if lowest >= 0 else -turn / 2
        slack = 1e-3 * turn
        jumps = np.abs(steps) > JUMP * turn
        if lowest < low - slack or highest > low + turn + slack or not jumps.any():
            continue
        if turn == TURN and _are_codes(good):
            continue
        if CALLED.search(name) or _goes_on(steps, jumps, turn):
            return Wrap(turn, low)
    return None


def _are_codes(values: np.ndarray) -> bool:
    """Whether numbers count or name something: radians are no whole numbers."""
    if np.array_equal(values, np.round(values)):
        return True
    some = np.unique(values)
    return len(some) <= FEW and len(some) * OFTEN <= len(values)


def _goes_on(steps: np.ndarray, jumps: np.ndarray, turn: float) -> bool:
    """Whether what jumps goes on as before once a turn is taken off: by a step that is usual, or
    like those beside it."""
    if jumps.all():
        return False
    usual = float(np.quantile(np.abs(steps[~jumps]), 0.99))
    whole = np.where(jumps, steps - np.sign(steps) * turn, steps)
    through = np.abs(whole)
    # by how much a step differs from the mean of its neighbours, here and two rows away
    bend = np.zeros(len(whole))
    bend[1:-1] = np.abs(whole[1:-1] - (whole[:-2] + whole[2:]) / 2)
    bend[[0, -1]] = np.inf
    beside = np.zeros(len(whole))
    for shift in (2, 3):
        beside[shift:] = np.maximum(beside[shift:], _finite(bend[:-shift]))
        beside[:-shift] = np.maximum(beside[:-shift], _finite(bend[shift:]))
    grain = GRAIN * turn
    is_usual = through <= max(LIKE * usual, grain)
    is_alike = (bend <= 2 * beside + grain) & (through < SMALL * turn)
    return usual < SMALL * turn and bool(np.mean((is_usual | is_alike)[jumps]) >= MOST)


def _finite(values: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(values), values, 0.0)


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

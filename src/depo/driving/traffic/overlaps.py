"""Which vehicles are close to each other in a frame: for sizes, spacing and collisions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from depo.driving.traffic.recording import Recording

TOLERANCE = 1.0
"""Metres that two vehicles may overlap in either direction before the authors call it a crash."""


TOUCH = 0.001
"""Metres: vehicles that overlap by less only touch."""


class Overlaps(NamedTuple):
    """Pairs of rows of a recording that stand in each other's place."""

    behind: np.ndarray
    ahead: np.ndarray


def close_pairs(
    frame: np.ndarray, front: np.ndarray, reach: float
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows of one frame whose fronts are less than ``reach`` apart: (behind, ahead), in batches.

    >>> pairs = close_pairs(np.array([0, 0, 0, 1]), np.array([5.0, 0.0, 9.0, 6.0]), 5.0)
    >>> [(b.tolist(), a.tolist()) for b, a in pairs]
    [([0], [2])]
    """
    order = np.lexsort((front, frame))
    behind = np.arange(len(order))
    for step in range(1, len(order)):
        behind = behind[behind + step < len(order)]
        b, a = order[behind], order[behind + step]
        near = (frame[b] == frame[a]) & (front[a] - front[b] < reach)
        behind = behind[near]
        if not len(behind):
            return
        yield b[near], a[near]


def overlaps(recording: Recording, tolerance: float = TOUCH) -> Overlaps:
    """Pairs of rows whose rectangles overlap by more than ``tolerance`` metres in both directions.

    Rectangles lie along the road, from the rear bumper (x) to the front; with ``TOLERANCE`` this is
    the authors' rule for a collision.
    """
    v = recording.vehicle
    length, width = recording.length[v], recording.width[v]
    front, x, y = recording.x + length, recording.x, recording.y
    found: list[Overlaps] = []
    for behind, ahead in close_pairs(recording.frame, front, float(recording.length.max())):
        along = np.minimum(front[behind], front[ahead]) - np.maximum(x[behind], x[ahead])
        across = (width[behind] + width[ahead]) / 2 - np.abs(y[behind] - y[ahead])
        hit = (along > tolerance) & (across > tolerance)
        found.append(Overlaps(behind[hit], ahead[hit]))
    if not found:
        return Overlaps(np.zeros(0, int), np.zeros(0, int))
    return Overlaps(
        np.concatenate([o.behind for o in found]), np.concatenate([o.ahead for o in found])
    )


def crashed_vehicles(recording: Recording) -> np.ndarray:
    """Vehicles that are in a collision by the authors' rule somewhere in their recorded tracks."""
    pairs = overlaps(recording, TOLERANCE)
    return np.unique(recording.vehicle[np.concatenate([pairs.behind, pairs.ahead])])

"""What becomes of a vehicle that is driven through recorded traffic: a plain check in NumPy.

It says whether a recording can be replayed without crashing, and whether it is too easy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Literal

import numpy as np

from depo.core.errors import DepoError
from depo.driving.traffic.overlaps import TOLERANCE
from depo.driving.traffic.recording import Recording

Outcome = Literal["arrived", "collision", "off-road", "too-late"]
Drive = tuple[np.ndarray, np.ndarray]
"""Positions x and y, frame after frame."""


class Scene:
    """A recording whose rows can be found by frame."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording

    @cached_property
    def _order(self) -> np.ndarray:
        return np.argsort(self.recording.frame, kind="stable")

    @cached_property
    def _frames(self) -> np.ndarray:
        return self.recording.frame[self._order]

    def outcome(self, vehicle: int, drive: Callable[[Recording, int, int], Drive]) -> Outcome:
        """Drive one vehicle from where it enters the valid zone; the others do as recorded.

        Collision, off-road and arrival by the authors' rules; a drive that ends inside the zone is
        too late.
        """
        recording = self.recording
        row = entry(recording, vehicle)
        x, y = drive(recording, vehicle, row)
        arrived = np.flatnonzero(x > recording.road.zone[1])
        steps = int(arrived[0]) if len(arrived) else len(x)
        x, y = x[:steps], y[:steps]
        frame = int(recording.frame[row])
        crash = self._first_collision(vehicle, frame, x, y)
        off = np.flatnonzero(recording.road.off_road(x, y))
        left = int(off[0]) if len(off) else steps
        if min(crash, left) < steps:
            return "collision" if crash <= left else "off-road"
        return "arrived" if len(arrived) else "too-late"

    def _first_collision(self, vehicle: int, frame: int, x: np.ndarray, y: np.ndarray) -> int:
        """The step of the first collision, or how many steps there are."""
        recording = self.recording
        low, high = np.searchsorted(self._frames, [frame, frame + len(x)])
        rows = self._order[low:high]
        rows = rows[recording.vehicle[rows] != vehicle]
        step, other = recording.frame[rows] - frame, recording.vehicle[rows]
        length, width = recording.length, recording.width
        front = np.minimum(x[step] + length[vehicle], recording.x[rows] + length[other])
        along = front - np.maximum(x[step], recording.x[rows])
        across = (width[vehicle] + width[other]) / 2 - np.abs(y[step] - recording.y[rows])
        hit = step[(along > TOLERANCE) & (across > TOLERANCE)]
        return int(hit.min()) if len(hit) else len(x)


def entry(recording: Recording, vehicle: int) -> int:
    """The row in which a vehicle enters the valid zone."""
    rows = np.arange(recording.begin[vehicle], recording.begin[vehicle + 1])
    inside = rows[recording.x[rows] > recording.road.zone[0]]
    if not len(inside):
        raise DepoError(f"vehicle {vehicle} of '{recording.name}' never enters the valid zone")
    return int(inside[0])


def as_recorded(recording: Recording, vehicle: int, row: int) -> Drive:
    """The recorded motion itself."""
    rows = slice(row, int(recording.begin[vehicle + 1]))
    return recording.x[rows], recording.y[rows]


def constant_velocity(recording: Recording, vehicle: int, row: int) -> Drive:
    """Drive on with the speed and heading of the entry, as long as the recording lasts."""
    first, last = int(recording.begin[vehicle]), int(recording.begin[vehicle + 1]) - 1
    before, after = (row - 1, row) if row > first else (row, min(row + 1, last))
    steps = np.arange(max(1, recording.frames[1] - int(recording.frame[row])))
    dx, dy = recording.x[after] - recording.x[before], recording.y[after] - recording.y[before]
    return recording.x[row] + dx * steps, recording.y[row] + dy * steps


def outcome_shares(
    recording: Recording,
    vehicles: np.ndarray | Sequence[int],
    drive: Callable[[Recording, int, int], Drive],
) -> dict[str, float]:
    """The share of each outcome among these vehicles."""
    scene = Scene(recording)
    counts = Counter(scene.outcome(int(v), drive) for v in vehicles)
    return {name: count / counts.total() for name, count in sorted(counts.items())}

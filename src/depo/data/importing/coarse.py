"""Times that are too coarse, so that several rows have the same: rows evenly apart between them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

OFTEN = 0.5
"""Of rows that have the time of the row before, whose numbers differ from that one's."""


@dataclass
class CoarseTimes:
    """Rows that have one time, spread over the time until the next."""

    step: float
    """Seconds from one time to the next."""
    apart: float
    """Seconds from one row to the next."""
    late: float
    """Seconds by which the first row is later than its time says, whose first part is missing."""
    _before: float | None = None

    @classmethod
    def of(cls, seconds: np.ndarray, values: np.ndarray) -> CoarseTimes | None:
        """How coarse the times of the first rows are; None: they are not, or rows are copies.

        >>> CoarseTimes.of(np.repeat(np.arange(5.0), 4), np.arange(20.0)[:, None]).apart
        0.25
        """
        timed = np.isfinite(seconds)
        seconds, values = seconds[timed], values[timed]
        starts = np.flatnonzero(np.diff(seconds, prepend=-np.inf) != 0)
        if len(starts) < 4:
            return None
        steps, sizes = np.diff(seconds[starts]), np.diff(starts)
        steps, inner = steps[1:], sizes[1:]  # of whole groups: the first may be part of one
        step = float(np.median(steps))
        usual = inner[np.abs(steps - step) < 0.1 * abs(step)]
        if step <= 0 or not len(usual) or np.mean(usual) < 1.5:
            return None
        again = np.flatnonzero(np.diff(seconds) == 0)
        with np.errstate(invalid="ignore"):
            differs = (values[again] != values[again + 1]) & ~(
                np.isnan(values[again]) & np.isnan(values[again + 1])
            )
        if np.mean(differs.any(axis=1)) < OFTEN:
            return None
        apart = step / float(np.mean(usual))
        return cls(step, apart, max(0.0, step - apart * float(sizes[0])))

    def spread(self, seconds: np.ndarray) -> np.ndarray:
        """The times of some rows; not before what they say, nor by a step behind it."""
        found, before = [], self._before
        for said in seconds.tolist():
            if not math.isfinite(said):
                found.append(said)
                continue
            if before is None:
                before = said + self.late
            elif said - before > self.step or said + self.step < before - self.step:
                before = said  # a gap, or a clock that was set back
            else:
                left = said + self.step - before
                before += min(self.apart, max(left, 0.1 * self.apart))
                before = max(before, said)
            found.append(before)
        self._before = before
        return np.array(found)


def is_growing(values: np.ndarray) -> bool:
    """Whether numbers grow from row to row by nearly the same, as a time or a counter does.

    >>> is_growing(np.arange(50) * 0.02), is_growing(np.arange(50.0) ** 2), is_growing(np.ones(50))
    (True, False, False)
    """
    if len(values) < 20 or not np.isfinite(values).all():
        return False
    steps = np.diff(values)
    return bool(steps.min() > 0 and steps.max() < 1.01 * steps.min())

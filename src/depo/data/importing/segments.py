"""Where rows do not hang together: another episode, a gap in time, a clock that was set back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from depo.data.importing.report import FileReport


class Segment(NamedTuple):
    """Rows that hang together; their times grow. ``is_new``: not with those before."""

    time: np.ndarray
    rows: np.ndarray
    is_new: bool


def typical_step(time: np.ndarray) -> float | None:
    """Seconds from one row to the next, the median; None: there are no two.

    >>> typical_step(np.array([0.0, 0.1, 0.2, 5.0, 5.1])).__round__(3)
    0.1
    """
    steps = np.diff(time[np.isfinite(time)])
    steps = steps[steps > 0]
    return float(np.median(steps)) if len(steps) else None


@dataclass
class Segmenter:
    """Cuts a file's rows, chunk after chunk; rows whose time had been there are left out."""

    max_gap: float
    report: FileReport
    _time: float | None = None
    _highest: float = -np.inf
    _label: np.ndarray | None = None

    def split(
        self, time: np.ndarray, rows: np.ndarray, label: np.ndarray | None
    ) -> Iterator[Segment]:
        """The segments of a chunk; the first may continue the last one before. ``label``: a number
        for each row's episode, or several."""
        timed = np.isfinite(time)
        if not timed.all():
            self.report.untimed += int((~timed).sum())
            time, rows = time[timed], rows[timed]
            label = None if label is None else label[timed]
        if not len(time):
            return
        steps = np.diff(time, prepend=time[0] if self._time is None else self._time)
        is_apart = np.abs(steps) > self.max_gap
        self.report.splits += int(is_apart.sum())
        is_new = is_apart
        if label is not None:
            label = label.reshape(len(label), -1)
            first = label[:1] if self._label is None else self._label
            changes = (np.diff(label, axis=0, prepend=first) != 0).any(axis=1)
            self.report.splits -= int((is_apart & changes).sum())
            is_new = is_apart | changes
            self._label = label[-1:]
        is_first = self._time is None
        begins = np.flatnonzero(is_new)
        for begin, end in zip(
            np.concatenate([[0], begins]), np.concatenate([begins, [len(time)]]), strict=True
        ):
            if begin < end:
                fresh = bool(is_first if begin == 0 else True) or bool(is_new[begin])
                yield self._growing(time[begin:end], rows[begin:end], fresh)
        self._time = float(time[-1])

    def _growing(self, time: np.ndarray, rows: np.ndarray, is_new: bool) -> Segment:
        highest = -np.inf if is_new else self._highest
        before = np.concatenate([[highest], np.maximum.accumulate(time)[:-1]])
        keep = time > np.maximum(before, highest)
        self._highest = max(highest, float(time.max()))
        if keep.all():
            return Segment(time, rows, is_new)
        self.report.repeated += int((~keep).sum())
        return Segment(time[keep], rows[keep], is_new)

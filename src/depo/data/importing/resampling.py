"""Signals at other times: angles unwrapped, quaternions by slerp; never across a gap.

A value at time t is made of the two good samples beside it, if these are at most ``max_gap`` apart;
otherwise there is no state at t, and the episode is cut there.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from depo.core.limits import check_size

TURN = 2 * np.pi
TOLERANCE = 1e-6
"""Of a step: two times that are no further apart are one."""


class Values(NamedTuple):
    """What one signal is at some times."""

    values: np.ndarray
    """(times, components); where ``is_known`` is false they mean nothing."""
    is_known: np.ndarray
    """(times) whether samples near enough lie beside it."""
    is_repaired: np.ndarray
    """(times) whether samples are missing between those it was made of."""


def unwrapped(
    time: np.ndarray,
    angle: np.ndarray,
    max_gap: float,
    before: tuple[float, float, float] | None = None,
    turn: float = TURN,
) -> tuple[np.ndarray, np.ndarray, tuple[float, float, float] | None]:
    """An angle without jumps of a whole turn, the turns added to each sample, and the last sample.

    ``before`` is the last sample of what came before (time, angle as it was, turns added). After a
    gap the angle is as it was recorded: nothing is known of what it did there.

    >>> unwrapped(np.arange(3.0), np.array([3.0, -3.0, -2.9]), 5.0)[0].round(2).tolist()
    [3.0, 3.28, 3.38]
    """
    added = np.zeros(len(angle))
    good = np.flatnonzero(np.isfinite(angle))
    if not len(good):
        if before is not None:
            added[:] = before[2]
        return angle.copy(), added, before
    times, angles = time[good], angle[good]
    start = (times[0], angles[0], 0.0) if before is None else before
    jumps = np.diff(angles, prepend=start[1])
    turns = -turn * np.round(jumps / turn)
    is_far = np.diff(times, prepend=start[0]) > max_gap
    total = np.cumsum(np.where(is_far, 0.0, turns)) + start[2]
    forgotten = np.where(is_far, total, 0.0)  # what had been added before the last gap
    last_gap = np.maximum.accumulate(np.where(is_far, np.arange(len(good)), -1))
    total = total - np.where(last_gap >= 0, forgotten[last_gap], 0.0)
    last = np.searchsorted(good, np.arange(len(angle)), side="right") - 1
    added[:] = np.where(last >= 0, total[np.maximum(last, 0)], start[2])
    return angle + added, added, (float(times[-1]), float(angles[-1]), float(total[-1]))


def aligned(quaternions: np.ndarray, before: np.ndarray | None = None) -> np.ndarray:
    """Unit quaternions, each of the two signs that is nearer to the one before; NaN where there is
    none, or where it has no length."""
    with np.errstate(over="ignore"):  # too long to have a length
        length = np.linalg.norm(quaternions, axis=1, keepdims=True)
    is_good = np.isfinite(length[:, 0]) & (length[:, 0] > 1e-3)
    units = np.where(is_good[:, None], quaternions / np.where(is_good[:, None], length, 1), np.nan)
    good = units[is_good]
    if not len(good):
        return units
    first = good[:1] if before is None else before[None]
    dots = np.einsum("ij,ij->i", good, np.concatenate([first, good[:-1]]))
    units[is_good] = good * np.cumprod(np.where(dots < 0, -1.0, 1.0))[:, None]
    return units


def slerp(first: np.ndarray, second: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Unit quaternions between others: on the great circle, at a constant rate.

    >>> i, j = np.eye(4)[:1], np.eye(4)[1:2]
    >>> slerp(i, j, np.array([0.5])).round(3).tolist()
    [[0.707, 0.707, 0.0, 0.0]]
    """
    cosine = np.clip(np.einsum("ij,ij->i", first, second), -1.0, 1.0)
    first = np.where(cosine[:, None] < 0, -first, first)
    angle = np.arccos(np.abs(cosine))
    sine = np.sin(angle)
    is_near = sine < 1e-6
    safe = np.where(is_near, 1.0, sine)
    left = np.where(is_near, 1 - share, np.sin((1 - share) * angle) / safe)
    right = np.where(is_near, share, np.sin(share * angle) / safe)
    mixed = left[:, None] * first + right[:, None] * second
    return mixed / np.linalg.norm(mixed, axis=1, keepdims=True)


def interpolated(
    time: np.ndarray,
    samples: np.ndarray,
    at: np.ndarray,
    max_gap: float,
    *,
    tolerance: float = 0.0,
    is_quaternion: bool = False,
    held: Collection[int] = (),
) -> Values:
    """A signal's samples (times, components) at other times, by those that are good. Components
    that are ``held`` stay as they were until the next sample.

    >>> found = interpolated(np.array([0.0, 1.0]), np.array([[0.0], [2.0]]), np.array([0.25]), 1.0)
    >>> found.values.tolist(), found.is_known.tolist()
    ([[0.5]], [True])
    """
    is_good = np.isfinite(samples).all(axis=1)
    good = np.arange(len(time)) if is_good.all() else np.flatnonzero(is_good)
    if not len(good):
        none = np.zeros(len(at), bool)
        return Values(np.zeros((len(at), samples.shape[1])), none, none)
    times = time[good]
    left = np.clip(np.searchsorted(times, at, side="right") - 1, 0, max(0, len(good) - 2))
    right = np.minimum(left + 1, len(good) - 1)
    span = times[right] - times[left]
    share = np.clip((at - times[left]) / np.where(span > 0, span, 1.0), 0.0, 1.0)
    is_left = np.abs(at - times[left]) <= tolerance
    is_right = np.abs(at - times[right]) <= tolerance
    is_inside = (at >= times[left]) & (at <= times[right]) & (span > 0)
    is_known = is_left | is_right | (is_inside & (span <= max_gap))
    is_repaired = is_known & ~is_left & ~is_right & (good[right] - good[left] > 1)
    share = np.where(is_left, 0.0, np.where(is_right, 1.0, share))
    before, after = samples[good[left]], samples[good[right]]
    if is_quaternion:
        return Values(slerp(before, after, share), is_known, is_repaired)
    weight = np.repeat(share[:, None], samples.shape[1], axis=1) if held else share[:, None]
    for component in held:
        weight[:, component] = is_right & ~is_left
    return Values(before * (1 - weight) + after * weight, is_known, is_repaired)


class Stretch(NamedTuple):
    """Consecutive states: their times, their signals, and whether an episode begins here."""

    time: np.ndarray
    values: np.ndarray
    is_new: bool
    repaired: int


@dataclass
class Resampler:
    """Rows of one segment in, stretches of states out; holds no more rows than a gap may be long.

    ``widths`` are those of the signals, in the order of the columns. Without ``step`` the rows
    themselves are the states.
    """

    widths: tuple[int, ...]
    angles: dict[int, float]
    """Columns that are angles, and how much a turn of each is."""
    quaternions: tuple[int, ...]
    """First columns of quaternions."""
    max_gap: float
    step: float | None = None
    is_finite: bool = False
    held: Collection[int] = ()
    """Columns of codes, between which nothing lies."""
    resolution: float = 0.0
    """Seconds by which times that mean the same may differ."""
    _time: np.ndarray = field(default_factory=lambda: np.zeros(0))
    _rows: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    _turns: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    _before: dict[int, tuple[float, float, float] | None] = field(default_factory=dict)
    _aligned: dict[int, np.ndarray | None] = field(default_factory=dict)
    _start: float | None = None
    _count: int = 0
    """States on the grid that are decided."""
    _decided: float = -np.inf
    _is_open: bool = False
    _shift: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def push(self, time: np.ndarray, rows: np.ndarray) -> list[Stretch]:
        """States that are decided once these rows are known; times grow."""
        if not len(time):
            return []
        rows = np.where(np.isfinite(rows), rows, np.nan)
        turns = np.zeros((len(rows), len(self.angles)))
        for i, (column, turn) in enumerate(self.angles.items()):
            rows[:, column], turns[:, i], self._before[column] = unwrapped(
                time, rows[:, column], self.max_gap, self._before.get(column), turn
            )
        for column in self.quaternions:
            own = slice(column, column + 4)
            rows[:, own] = aligned(rows[:, own], self._aligned.get(column))
            good = np.flatnonzero(np.isfinite(rows[:, column]))
            if len(good):
                self._aligned[column] = rows[good[-1], own].copy()
        if self._start is None:
            self._start = float(time[0])
            self._rows = rows[:0]
            self._turns, self._shift = turns[:0], np.zeros(len(self.angles))
        self._time = np.concatenate([self._time, time])
        self._rows = np.concatenate([self._rows, rows])
        self._turns = np.concatenate([self._turns, turns])
        return self._decide(self._frontier())

    def add_angle(self, column: int, turn: float) -> None:
        """From the next rows on a column is an angle; up to here it has not jumped."""
        self.angles[column] = turn
        self._turns = np.column_stack([self._turns, np.zeros(len(self._turns))])
        self._shift = np.append(self._shift, 0.0)
        if len(self._time) and len(good := np.flatnonzero(np.isfinite(self._rows[:, column]))):
            last = good[-1]
            self._before[column] = (float(self._time[last]), float(self._rows[last, column]), 0.0)

    def close(self) -> list[Stretch]:
        """The rest, at the segment's end; the next rows are another segment."""
        found = self._decide(float(self._time[-1])) if len(self._time) else []
        self._time, self._before, self._aligned = np.zeros(0), {}, {}
        self._start, self._count, self._decided, self._is_open = None, 0, -np.inf, False
        return found

    def _frontier(self) -> float:
        """Up to here nothing that is still to come can change anything."""
        last, frontier, column = float(self._time[-1]), float(self._time[-1]), 0
        for width in self.widths:
            own = self._rows[:, column : column + width]
            column += width
            if np.isfinite(own[-1]).all():
                continue
            good = np.flatnonzero(np.isfinite(own).all(axis=1))
            if len(good) and last - self._time[good[-1]] <= self.max_gap:
                frontier = min(frontier, float(self._time[good[-1]]))
        return frontier

    def _targets(self, frontier: float) -> np.ndarray:
        """Times of the states up to the frontier that are not decided yet."""
        if self.step is None:
            return self._time[(self._time > self._decided) & (self._time <= frontier)]
        assert self._start is not None
        end = float(np.floor((frontier - self._start) / self.step + self._tolerance / self.step))
        more = end + 1 - self._count
        check_size(
            8 * more * (2 + self._rows.shape[1]), f"all that is interpolated up to {frontier:g} s"
        )
        last = int(end)
        found = self._start + self.step * np.arange(self._count, last + 1)
        self._count = max(self._count, last + 1)
        return np.clip(found, self._time[0], self._time[-1])

    def _decide(self, frontier: float) -> list[Stretch]:
        at = self._targets(frontier)
        found: list[Stretch] = []
        if len(at):
            values, is_known, repaired = self._values(at)
            found = self._stretches(at, values, is_known, repaired)
        self._decided = frontier
        self._forget(frontier)
        return found

    @property
    def _tolerance(self) -> float:
        return max(TOLERANCE * (self.step or 0.0), self.resolution)

    def _values(self, at: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        tolerance = 0.0 if self.step is None else self._tolerance
        values = np.empty((len(at), self._rows.shape[1]))
        is_known, repaired = np.ones(len(at), bool), np.zeros(len(at), int)
        if np.isfinite(self._rows).all() and not self.quaternions:  # all signals at once
            all_of = interpolated(
                self._time, self._rows, at, self.max_gap, tolerance=tolerance, held=self.held
            )
            return all_of.values, all_of.is_known, repaired
        column = 0
        for width in self.widths:
            own = slice(column, column + width)
            found = interpolated(
                self._time,
                self._rows[:, own],
                at,
                0.0 if self.is_finite else self.max_gap,
                tolerance=tolerance,
                is_quaternion=column in self.quaternions,
                held=(0,) if column in self.held else (),
            )
            values[:, own] = found.values
            is_known &= found.is_known
            repaired += found.is_repaired
            column += width
        return values, is_known, repaired

    def _stretches(
        self, at: np.ndarray, values: np.ndarray, is_known: np.ndarray, repaired: np.ndarray
    ) -> list[Stretch]:
        """Runs of known states; angles of an episode begin as they were recorded."""
        edges = np.flatnonzero(np.diff(is_known.astype(np.int8), prepend=0, append=0))
        found = []
        for begin, end in zip(edges[::2], edges[1::2], strict=True):
            is_new = not (self._is_open and begin == 0)
            if is_new and self.angles:
                row = max(0, int(np.searchsorted(self._time, at[begin], side="right")) - 1)
                self._shift = self._turns[row].copy()
            part = values[begin:end].copy()
            part[:, list(self.angles)] -= self._shift
            own = int(repaired[begin:end].sum())
            found.append(Stretch(at[begin:end], part, is_new, own))
        self._is_open = bool(is_known[-1])
        return found

    def _forget(self, frontier: float) -> None:
        """Let go of rows that no later state is made of."""
        is_whole = np.isfinite(self._rows).all(axis=1) & (self._time <= frontier)
        whole = np.flatnonzero(is_whole)
        first = int(np.searchsorted(self._time, frontier - self.max_gap, side="left"))
        first = max(first, int(whole[-1]) if len(whole) else 0)
        first = min(first, len(self._time) - 1)
        self._time, self._rows = self._time[first:], self._rows[first:]
        self._turns = self._turns[first:]

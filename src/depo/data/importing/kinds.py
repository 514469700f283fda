"""What signals are whose kind nobody says: told by their numbers, chunk after chunk."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from depo.core.errors import readable
from depo.data.importing.columns import LINEAR, QUATERNION, Selection
from depo.data.importing.report import FileReport
from depo.data.importing.resampling import TURN
from depo.data.importing.segments import typical_step
from depo.data.importing.units import ANGLE
from depo.data.importing.wrapping import FEW, OFTEN, Wrap, are_quaternions, spans, wrap_of

TAIL = 64
"""Rows of the chunk before that are looked at again: a jump may lie between two chunks."""
APART = 5.0
"""Usual steps in time, from which two rows do not hang together."""


@dataclass
class Kinds:
    """The kind of each signal of a selection; a signal may turn out an angle late in a file."""

    selection: Selection
    report: FileReport
    kinds: list[str] = field(default_factory=list)
    wraps: dict[int, Wrap] = field(default_factory=dict)
    """Of signals that are angles by their jumps."""
    held: set[int] = field(default_factory=set)
    """Columns of few whole numbers, which count or name something: nothing lies between them."""
    _seen: dict[int, set[float] | None] = field(default_factory=dict)
    """The numbers of each column, until they are too many."""
    _tail: np.ndarray | None = None
    _low: np.ndarray = field(default_factory=lambda: np.zeros(0))
    _high: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        self.kinds = [signal.kind for signal in self.selection.signals]

    def look(
        self, values: np.ndarray, time: np.ndarray, label: np.ndarray | None
    ) -> list[tuple[int, float]]:
        """Look at some rows; the columns that are angles by them, and their turns."""
        if not len(values):
            return []
        is_first = self._tail is None
        label = np.zeros((len(time), 0)) if label is None else label
        rows, first = np.column_stack([time, label, values]), 1 + label.shape[1]
        if self._tail is None:
            self._low, self._high = np.full((2, values.shape[1]), np.nan)
        else:
            rows = np.concatenate([self._tail, rows])
        self._tail = rows[-TAIL:].copy()
        finite = np.where(np.isfinite(values), values, np.nan)
        self._low = np.fmin(self._low, np.fmin.reduce(finite, axis=0))
        self._high = np.fmax(self._high, np.fmax.reduce(finite, axis=0))
        parts = _parts(rows[:, 0], rows[:, 1:first])
        found = []
        for i, own in enumerate(spans([len(s.headers) for s in self.selection.signals])):
            signal, column = self.selection.signals[i], own.start
            if signal.is_certain:
                continue
            names = readable(", ".join(signal.headers))
            if self.kinds[i] == QUATERNION and is_first:
                self._look_at_quaternion(i, names, values[:, own])
            if self.kinds[i] != LINEAR or len(signal.headers) > 1:
                continue
            self._look_at_codes(column, values[:, column])
            ends = [float(e[column]) for e in (self._low, self._high) if np.isfinite(e[column])]
            wrap = wrap_of(rows[:, first + column], parts, name=signal.headers[0], ends=ends)
            if wrap is not None:
                self.wraps[i], self.kinds[i] = wrap, ANGLE
                found.append((column, wrap.turn))
                self.report.note(
                    f"{names} jumps by {wrap.turn:.4g} as an angle does: interpolated across the "
                    "jumps, its unit left as it is (say it by --columns "
                    f"{names}:{'rad' if wrap.turn == TURN else 'deg'}, or :linear for no angle)"
                )
        return found

    def _look_at_codes(self, column: int, values: np.ndarray) -> None:
        good = values[np.isfinite(values)]
        if (seen := self._seen.setdefault(column, set())) is not None:
            seen |= set(np.unique(good[: OFTEN * (FEW + 1)]).tolist())
            if len(seen) <= FEW:
                seen |= set(np.unique(good).tolist())
            if len(seen) > FEW or any(x != round(x) for x in seen):
                self._seen[column] = None
                self.held.discard(column)
            elif len(good) >= OFTEN * len(seen) and len(seen) > 1:
                self.held.add(column)

    @property
    def held_names(self) -> str:
        """What is held, for a report."""
        return readable(", ".join(self.selection.headers[i] for i in sorted(self.held)))

    def _look_at_quaternion(self, i: int, names: str, values: np.ndarray) -> None:
        if not are_quaternions(values):
            self.kinds[i] = LINEAR
            return
        self.report.note(
            f"{names}: a quaternion by its names and length, so its sign is made "
            "continuous and it is interpolated by slerp (otherwise: --columns …:linear)"
        )


def _parts(time: np.ndarray, label: np.ndarray) -> np.ndarray:
    """A number for each row: rows of one number hang together."""
    steps = np.diff(time, prepend=time[0])
    usual = typical_step(time)
    is_apart = (np.diff(label, axis=0, prepend=label[:1]) != 0).any(axis=1)
    if usual is not None:
        is_apart |= np.abs(steps) > APART * usual
    return np.cumsum(is_apart)

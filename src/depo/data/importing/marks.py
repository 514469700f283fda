"""Episodes told by marks in single rows, or by a counter that starts again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from depo.core.errors import readable
from depo.data.importing.roles import ENDS, STARTS, bare, is_counter


class Marks(NamedTuple):
    """Columns by which episodes are told apart, where no column names them."""

    ends: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()
    counter: str = ""
    changes: tuple[str, ...] = ()
    """Columns whose changes begin an episode, beside the one that is read as its label."""

    @classmethod
    def among(cls, headers: Sequence[str], *, counters: bool) -> Marks:
        """Those among some columns: marks, or else (if wanted) a counter.

        >>> Marks.among(["x", "terminated", "truncated"], counters=True).ends
        ('terminated', 'truncated')
        """
        ends, starts = (tuple(h for h in headers if rule.match(bare(h))) for rule in (ENDS, STARTS))
        if ends or starts or not counters:
            return cls(ends, () if ends else starts)
        return cls(counter=next((h for h in headers if is_counter(h)), ""))

    @property
    def headers(self) -> tuple[str, ...]:
        """The columns to read."""
        return (*self.ends, *self.starts, *([self.counter] if self.counter else []), *self.changes)

    @property
    def sentence(self) -> str:
        """What they do, for a report."""
        names = readable(", ".join(f"'{header}'" for header in self.headers))
        if self.changes:
            return f"an episode begins wherever {names} changes"
        if self.counter:
            return f"an episode begins wherever {names} goes back"
        return f"an episode {'ends' if self.ends else 'begins'} where {names} is not 0"


@dataclass
class Labels:
    """A number for each row's episode, chunk after chunk."""

    marks: Marks
    count: int = 0
    _is_after_end: bool = False
    _before: float = -np.inf
    _last: np.ndarray | None = None

    def of(self, columns: np.ndarray) -> np.ndarray:
        """Labels of some rows, from the columns of the marks.

        >>> Labels(Marks(ends=("done",))).of(np.array([[0.0], [1.0], [0.0]])).tolist()
        [0.0, 0.0, 1.0]
        """
        if self.marks.changes:
            some = np.nan_to_num(columns, nan=-1.0)
            first = some[:1] if self._last is None else self._last
            begins = (np.diff(some, axis=0, prepend=first) != 0).any(axis=1)
            self._last = some[-1:].copy()
        elif self.marks.counter:
            steps = np.diff(columns[:, 0], prepend=self._before)
            self._before = float(columns[-1, 0])
            begins = steps < 0
        else:
            begins = (np.nan_to_num(columns) != 0).any(axis=1)
            if self.marks.ends:
                last = bool(begins[-1])
                begins = np.concatenate([[self._is_after_end], begins[:-1]])
                self._is_after_end = last
        labels = self.count + np.cumsum(begins)
        self.count = int(labels[-1])
        return labels.astype(float)

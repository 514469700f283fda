"""What every format is read as: named columns, and rows of numbers chunk after chunk."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from depo.data.importing.report import FileReport
from depo.data.importing.units import Unit, split_header

ROWS = 1 << 17
"""Rows of a chunk."""


@dataclass(frozen=True)
class Column:
    """A column of a file: what it is called there, and what is known of it."""

    header: str
    """As it stands in the file."""
    name: str
    """Without its unit."""
    unit: Unit | None = None
    quaternion: str = ""
    """Columns with the same word here are one quaternion (w, x, y, z), in this order."""

    @classmethod
    def of(cls, header: str, unit: Unit | None = None, quaternion: str = "") -> Column:
        """A column from its header.

        >>> Column.of("hip [deg]").name
        'hip'
        """
        name, own = split_header(header)
        return cls(header, name, unit or own, quaternion)


class Rows(NamedTuple):
    """Some consecutive rows. What is missing is NaN."""

    values: np.ndarray
    """(rows, columns asked for) float64, in the file's units."""
    time: np.ndarray | None
    """(rows) in the file's unit of time, or None."""
    label: np.ndarray | None
    """(rows) a number for each row's episode, or None."""
    share: float
    """Of the file, up to here."""
    part: np.ndarray | None = None
    """(rows) a number that grows where the file itself says that something new begins, or None."""


@dataclass(frozen=True)
class Table(ABC):
    """A file (or dataset) that can be read as rows."""

    path: Path
    """For messages: the file."""
    columns: tuple[Column, ...]
    """All that hold numbers."""
    state: tuple[str, ...] = ()
    """Headers of the columns that are the state unless the user says otherwise; (): all."""
    time: str = ""
    """Header of the column that is the time unless the user says otherwise."""
    episode: str = ""
    """Header of the column whose changes begin episodes, unless the user says otherwise."""
    others: tuple[str, ...] = ()
    """Headers of columns of words, which may tell episodes apart or be a clock."""
    clocks: tuple[str, ...] = ()
    """Headers of those among them that hold dates or times of day."""
    hz: float | None = None
    """How often rows were recorded, where there is no time."""
    are_steps: bool = False
    """Whether a row is one step of an environment, whatever time that takes."""
    is_finite: bool = False
    """Whether states are whole numbers of a finite set."""
    environment: str = ""
    """The environment that it says it is from."""
    notes: tuple[str, ...] = field(default=())
    """What was found while the file was looked at."""

    @property
    def tells_episodes(self) -> bool:
        """Whether the format itself says where episodes begin."""
        return False

    @abstractmethod
    def rows(
        self, wanted: Sequence[str], time: str, episode: str, report: FileReport
    ) -> Iterator[Rows]:
        """The columns with these headers, in this order; ``time`` and ``episode`` may be empty.

        What is found on the way is added to the report.
        """

    def close(self) -> None:  # noqa: B027  most have nothing to let go
        """Let go of what reading has left."""


def raw_rows(
    path: Path, start: int, count: int, width: int, wanted: int, has_time: bool, has_label: bool
) -> Iterator[Rows]:
    """Rows from a plain file of float64, as a child wrote it: those wanted, time, label."""
    with path.open("rb") as file:
        file.seek(8 * start * width)
        for begin in range(0, count, ROWS):
            rows = min(ROWS, count - begin)
            block = np.frombuffer(file.read(8 * rows * width)).reshape(-1, width)
            yield split_block(block, wanted, has_time, has_label, (begin + rows) / count)


def split_block(
    block: np.ndarray, wanted: int, has_time: bool, has_label: bool, share: float
) -> Rows:
    """A block's columns: those wanted, then time, then label."""
    time = block[:, wanted] if has_time else None
    label = block[:, wanted + has_time] if has_label else None
    return Rows(block[:, :wanted], time, label, share)


def with_label(rows: Rows, report: FileReport) -> Iterator[Rows]:
    """The rows that are part of an episode: not those that fill one up to a common length."""
    if rows.label is None or not (none := np.isnan(rows.label)).any():
        yield rows
        return
    report.unlabelled += int(none.sum())
    report.note("rows that belong to no episode, or fill one up with zeros, are left out")
    if not none.all():
        time = None if rows.time is None else rows.time[~none]
        yield Rows(rows.values[~none], time, rows.label[~none], rows.share)

"""Tracks as small whole numbers: second differences pack ten times better than positions."""

from __future__ import annotations

import numpy as np


def pack(rows: np.ndarray, begin: np.ndarray, order: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Where each track starts, and the differences of ``order`` between its whole numbers.

    >>> start, changes = pack(np.array([5, 6, 8, 70, 70]), np.array([0, 3, 5]))
    >>> start.tolist(), changes.tolist(), changes.dtype.name
    ([5, 70], [0, 1, 1, 0, 0], 'int8')
    >>> unpack(start, changes, np.array([0, 3, 5])).tolist()
    [5, 6, 8, 70, 70]
    """
    first = begin[:-1]
    start, changes = rows[first], rows.astype(np.int64)
    for _ in range(order):
        changes = np.diff(changes, prepend=0)
        changes[first] = 0
    return start, _smallest(changes)


def unpack(start: np.ndarray, changes: np.ndarray, begin: np.ndarray, order: int = 2) -> np.ndarray:
    """The whole numbers that ``pack`` was given."""
    first, rows = begin[:-1], changes.astype(np.int64)
    for _ in range(order):
        total = np.cumsum(rows)
        rows = total - np.repeat(total[first], np.diff(begin))
    return rows + np.repeat(start, np.diff(begin))


def _smallest(array: np.ndarray) -> np.ndarray:
    for kind in (np.int8, np.int16, np.int32):
        room = np.iinfo(kind)
        if array.min(initial=0) >= room.min and array.max(initial=0) <= room.max:
            return array.astype(kind)
    return array

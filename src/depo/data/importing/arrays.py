"""Datasets by name, as NPZ and HDF5 hold them: which are columns, and where episodes end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from depo.core.errors import DepoError

STATES = ("observations", "observation", "obs", "states", "state", "qpos")
"""What the state is called, the likeliest first; a dataset of this name, or all below it."""
NO_STATE = ("action", "reward", "terminal", "timeout", "done", "termination", "truncation", "info")
ENDS = ("terminals", "timeouts", "dones", "done", "terminations", "truncations")
"""Datasets that mark the last row of an episode."""
MOST_COLUMNS = 10_000


def headers_of(name: str, shape: Sequence[int]) -> list[str]:
    """A dataset's columns: one, or one for each component.

    >>> headers_of("time", (100,)), headers_of("obs", (100, 2))
    (['time'], ['obs.0', 'obs.1'])
    """
    if len(shape) == 1:
        return [name]
    return [f"{name}.{i}" for i in range(min(shape[1], MOST_COLUMNS))]


def component_of(header: str, names: Mapping[str, object]) -> tuple[str, int | None]:
    """The dataset and the component that a header means.

    >>> component_of("obs.1", {"obs": 0}), component_of("time", {"time": 0})
    (('obs', 1), ('time', None))
    """
    if header in names:
        return header, None
    name, _, number = header.rpartition(".")
    return name, int(number)


def table_length(shapes: Mapping[str, tuple[int, ...]]) -> int:
    """How many rows the table has: that of the state, else the length that most columns share."""
    for word in STATES:
        for name, shape in shapes.items():
            if name == word or name.startswith(f"{word}/"):
                return shape[0]
    widths: Counter[int] = Counter()
    for shape in shapes.values():
        widths[shape[0]] += 1 if len(shape) == 1 else shape[1]
    return max(widths, key=lambda rows: (widths[rows], rows)) if widths else 0


def state_headers(names: Sequence[str]) -> tuple[str, ...]:
    """The columns that are the state, by what they are called; none: it cannot be told."""
    for word in STATES:
        found = [n for n in names if n == word or n.startswith((f"{word}.", f"{word}/"))]
        if word == "qpos" and found:
            found += [n for n in names if n.startswith("qvel")]
        if found:
            return tuple(found)
    kept = [n for n in names if not n.split("/")[-1].lower().startswith(NO_STATE)]
    return tuple(kept) if len(kept) < len(names) else ()


def labels_from_ends(ends: np.ndarray) -> np.ndarray:
    """A number for each row's episode, from marks on last rows.

    >>> labels_from_ends(np.array([0, 1, 0, 0, 1, 0])).tolist()
    [0.0, 0.0, 1.0, 1.0, 1.0, 2.0]
    """
    counts = np.cumsum(np.asarray(ends) != 0)
    return np.concatenate([[0.0], counts[:-1]]).astype(float)


def labels_from_splits(points: np.ndarray | None, rows: int, path: Path) -> np.ndarray | None:
    """Each row's trajectory, from where they begin."""
    if points is None:
        return None
    if points.ndim != 1 or points.dtype.kind not in "iu" or not len(points):
        raise DepoError(f"{path}: 'split_points' is no list of whole numbers")
    if (np.diff(points.astype(np.int64)) < 0).any() or points[0] < 0 or points[-1] > rows:
        raise DepoError(f"{path}: 'split_points' do not grow from 0 to the {rows} rows")
    return np.searchsorted(points, np.arange(rows), side="right").astype(float)


def labels_from_lengths(lengths: np.ndarray) -> np.ndarray:
    """The same from how long the episodes are."""
    return np.repeat(np.arange(len(lengths), dtype=float), lengths)

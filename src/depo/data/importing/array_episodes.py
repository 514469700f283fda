"""Where episodes end in datasets by name (NPZ, HDF5): by lengths, split points, marks or masks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from depo.core.errors import DepoError, readable
from depo.data.importing.roles import ENDS, bare

Shape = tuple[int, ...]
Read = Callable[[str], np.ndarray]
"""Gives the whole of a dataset of some name, which is short."""
GIVEN = ("episodelengths", "splitpoints", "episodeends", "indices")
"""Datasets that say where episodes end, without case and underscores."""
ACTIONS = ("acts", "actions")
"""What ``indices`` split: ``imitation`` writes one state more in each episode."""
LENGTHS = re.compile(r"(episode|ep|traj|trajectory|seq|sequence|path)?(lengths?|lens?)$")
MASK = re.compile(r"(valid|padding|pad|attention)?masks?$|valid$")
"""What tells, of episodes filled up to one length, the steps that are ones: true where they are."""


class Told(NamedTuple):
    """Each row's episode (NaN: the row is none; None: nobody says), and which datasets say it."""

    labels: np.ndarray | None = None
    used: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What tells episodes apart, for a report."""
        if not self.used:
            return ()
        return (f"episodes are told apart by '{readable(', '.join(self.used))}'",)


def labels_of_rows(shapes: Mapping[str, Shape], rows: int, read: Read, path: Path) -> Told:
    """Episodes of one table of so many rows; ``shapes`` are those of all datasets beside it."""
    for name in sorted(shapes, key=lambda name: len(name)):
        own, shape = bare(name), shapes[name]
        if own in GIVEN and len(shape) == 1 and not (own == "indices" and shape == (rows,)):
            return Told(_given_labels(read(name), name, own, shapes, rows, path), (name,))
        if LENGTHS.match(own) and len(shape) == 1 and shape != (rows,):
            lengths = read(name)
            if lengths.sum() == rows:
                return Told(labels_from_lengths(_whole(lengths, name, path)), (name,))
    ends = marks_of_ends(shapes)
    fitting = [name for name in ends if shapes[name][0] == rows]
    if fitting:
        marks = [read(name).reshape(rows) != 0 for name in fitting]
        return Told(labels_from_ends(np.any(marks, axis=0)), tuple(fitting))
    for name in ends:
        if shapes[name][0] != rows:
            return Told(_labels_of_others(read(name).ravel() != 0, name, rows, path), (name,))
    return Told()


def labels_of_cube(shapes: Mapping[str, Shape], base: Shape, read: Read, path: Path) -> Told:
    """Episodes of arrays (episodes, steps, …): up to lengths or masks, or as marks cut them."""
    count, steps = base
    labels = np.repeat(np.arange(float(count))[:, None], steps, axis=1)
    for name, shape in shapes.items():
        if LENGTHS.match(bare(name)) and shape == (count,):
            lengths = read(name)
            if (lengths < 0).any() or (lengths > steps).any():
                raise DepoError(
                    f"{path}: '{readable(name)}' are not between 0 and the {steps} steps there are"
                )
            labels[np.arange(steps) >= lengths[:, None]] = np.nan
            return Told(labels.ravel(), (name,))
        if MASK.match(bare(name)) and shape == base:
            labels[read(name) == 0] = np.nan
            return Told(labels.ravel(), (name,))
    ends = [n for n, s in shapes.items() if is_end(n) and s in (base, (*base, 1))]
    if ends:
        marks = np.any([read(name).reshape(base) != 0 for name in ends], axis=0)
        marks[:, -1] = True
        return Told(labels_from_ends(marks.ravel()), tuple(ends))
    return Told(labels.ravel())


def padded(block: np.ndarray, steps: int) -> np.ndarray:
    """Which rows of whole episodes, n steps each, are zeros up to the episode's end.

    >>> padded(np.array([[0.0], [1.0], [0.0], [2.0], [0.0], [0.0]]), 3).tolist()
    [False, False, True, False, True, True]
    """
    is_zero = (block == 0).all(axis=1).reshape(-1, steps)
    return np.logical_and.accumulate(is_zero[:, ::-1], axis=1)[:, ::-1].ravel()


def marks_of_ends(shapes: Mapping[str, Shape]) -> list[str]:
    """Datasets of one number for each row that are called as marks of last rows are."""
    return [name for name, s in shapes.items() if is_end(name) and s[1:] in ((), (1,))]


def is_end(name: str) -> bool:
    """Whether a dataset is called as marks of last rows are.

    >>> [is_end(name) for name in ("terminals", "data/dones", "last", "last_action", "obs")]
    [True, True, True, False, False]
    """
    own = bare(name)
    return (bool(ENDS.match(own)) or own == "last") and own not in GIVEN


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
    points = _whole(points, "split_points", path)
    if not len(points):
        raise DepoError(f"{path}: 'split_points' is empty: leave it out, or say where they begin")
    if (np.diff(points) < 0).any() or points[0] < 0 or points[-1] > rows:
        raise DepoError(f"{path}: 'split_points' do not grow from 0 to the {rows} rows")
    return np.searchsorted(points, np.arange(rows), side="right").astype(float)


def labels_from_lengths(lengths: np.ndarray) -> np.ndarray:
    """The same from how long the episodes are."""
    return np.repeat(np.arange(len(lengths), dtype=float), lengths)


def _given_labels(
    given: np.ndarray, name: str, own: str, shapes: Mapping[str, Shape], rows: int, path: Path
) -> np.ndarray:
    """Labels from lengths, from where episodes begin or end, or from where actions are split."""
    given = _whole(given, name, path)
    if own == "episodelengths":
        if int(given.astype(object).sum()) != rows:
            raise DepoError(
                f"{path}: '{readable(name)}' add up to {given.sum()}, there are {rows} rows"
            )
        return labels_from_lengths(given)
    starts = given
    if own == "episodeends":
        starts = np.concatenate([[0], given[:-1]])
    elif own == "indices":
        taken = next((s[0] for n, s in shapes.items() if bare(n) in ACTIONS), rows)
        more = np.arange(len(given)) + 1 if rows == taken + len(given) + 1 else 0
        starts = np.concatenate([[0], given + more])
    labels = labels_from_splits(starts, rows, path)
    assert labels is not None
    return labels


def _labels_of_others(ends: np.ndarray, name: str, rows: int, path: Path) -> np.ndarray:
    """Labels where marks belong to steps, and each episode has one state more than steps."""
    lasts = np.flatnonzero(ends)
    bounds = np.unique([0, *(lasts + 1), len(ends)])
    lengths = np.diff(bounds) + 1
    if lengths.sum() == rows:
        return labels_from_lengths(lengths)
    raise DepoError(
        f"{path}: '{readable(name)}' has {len(ends)} values for {rows} states, so where episodes "
        "end cannot be told: write one for each state, or 'episode_lengths' beside"
    )


def _whole(numbers: np.ndarray, name: str, path: Path) -> np.ndarray:
    """A list of whole numbers from 0."""
    if numbers.ndim != 1 or numbers.dtype.kind not in "iuf":
        raise DepoError(f"{path}: '{readable(name)}' is no list of whole numbers")
    if not np.isfinite(numbers).all() or (numbers < 0).any() or (numbers % 1 != 0).any():
        raise DepoError(
            f"{path}: '{readable(name)}' holds numbers that are not whole, or below 0: it says "
            "how many states there are, or where episodes begin"
        )
    return numbers.astype(np.int64)

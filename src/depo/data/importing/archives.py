"""NumPy archives: our own demonstrations, LocoMuJoCo's trajectories, and arrays of equal length.

Arrays are read in blocks of rows, so an archive may be larger than memory.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from depo.core.errors import DepoError, readable
from depo.core.npz import array_shapes, npz_blocks, read_npz
from depo.data.demonstrations import Demonstrations
from depo.data.importing.arrays import (
    ENDS,
    NO_STATE,
    STATES,
    component_of,
    headers_of,
    labels_from_ends,
    labels_from_lengths,
    labels_from_splits,
    state_headers,
    table_length,
)
from depo.data.importing.clock import find_time
from depo.data.importing.locomujoco import open_trajectory
from depo.data.importing.memory import demonstrations_table
from depo.data.importing.report import FileReport
from depo.data.importing.roles import EPISODE
from depo.data.importing.table import ROWS, Column, Rows, Table

Shapes = Mapping[str, tuple[tuple[int, ...], np.dtype]]
GIVEN = ("episode_lengths", "split_points", "episode_ends")
"""Arrays that say where episodes end."""
LENGTHS = re.compile(r"(episode|ep|traj|trajectory|seq|sequence|path)?_?(lengths?|lens?)$")
MASK = re.compile(r"(valid|padding|pad|attention)?_?masks?$|valid$")
"""What tells, of episodes filled up to one length, the steps that are ones: true where they are."""
NUMBERED = re.compile(r"^(?P<name>.*?)_?(?P<number>\d+)$")


@dataclass(frozen=True)
class ArchiveTable(Table):
    """Arrays of an archive; episodes may be arrays of their own."""

    parts: tuple[Mapping[str, str], ...] = field(kw_only=True)
    """The array of each dataset; of several parts each is an episode."""
    shapes: Shapes = field(kw_only=True)
    is_cube: bool = False
    """Whether arrays are (episodes, steps, features)."""
    labels: np.ndarray | None = None
    """Each row's episode, where the format says it; NaN: the row is none."""

    @property
    def tells_episodes(self) -> bool:
        """Whether it says where episodes begin."""
        return self.labels is not None

    def rows(
        self, wanted: Sequence[str], time: str, episode: str, report: FileReport
    ) -> Iterator[Rows]:
        """The columns, a block at a time."""
        del report
        headers = [*wanted, *(header for header in (time, episode) if header)]
        columns = [component_of(header, self.parts[0]) for header in headers]
        total = sum(self._rows_of(part[columns[0][0]]) for part in self.parts)
        done = 0
        for part in self.parts:
            for block in self._blocks([(part[name], i) for name, i in columns]):
                label = self.labels[done : done + len(block)] if self.labels is not None else None
                done += len(block)
                if label is not None and np.isnan(label).any():
                    block, label = block[~np.isnan(label)], label[~np.isnan(label)]
                if len(block):
                    yield Rows(
                        block[:, : len(wanted)],
                        block[:, len(wanted)] if time else None,
                        block[:, -1] if episode else label,
                        done / total,
                    )

    def _rows_of(self, name: str) -> int:
        shape = self.shapes[name][0]
        return shape[0] * shape[1] if self.is_cube else shape[0]

    def _blocks(self, columns: Sequence[tuple[str, int | None]]) -> Iterator[np.ndarray]:
        """Some columns of arrays of one length, block after block."""
        names = list(dict.fromkeys(name for name, _ in columns))
        length = self.shapes[names[0]][0][0]
        apiece = max(1, self._rows_of(names[0]) // max(1, length))
        count = max(1, ROWS // apiece)
        with npz_blocks(self.path, names) as read:
            for begin in range(0, length, count):
                own = {name: read(name, min(count, length - begin)) for name in names}
                if self.is_cube:
                    own = {
                        name: block.reshape(block.shape[0] * block.shape[1], -1)
                        for name, block in own.items()
                    }
                picked = [own[name] if i is None else own[name][:, i] for name, i in columns]
                yield np.stack([np.ravel(each) for each in picked], axis=1).astype(float)


def open_archive(path: Path) -> Table:
    """Recognise what an archive holds."""
    shapes = array_shapes(path)
    if not shapes:
        raise DepoError(
            f"{path} holds no NumPy arrays: a zip of other files is unpacked first, a spreadsheet "
            "(.xlsx) saved as CSV"
        )
    if {"observations", "episode_lengths"} <= set(shapes):
        return demonstrations_table(Demonstrations.load(path), path)
    if {"qpos", "split_points"} <= set(shapes):
        return open_trajectory(path, shapes)
    return _arrays(path, shapes)


def _arrays(path: Path, shapes: Shapes) -> ArchiveTable:
    """Any archive: its arrays of numbers that have the same length."""
    numbers = {
        name: shape
        for name, (shape, kind) in shapes.items()
        if kind.kind in "biuf" and 1 <= len(shape) <= 3 and shape[0] > 0
    }
    if episodes := _numbered(numbers):
        return _episodes(path, shapes, episodes)
    base = _cube({name: shape for name, shape in numbers.items() if len(shape) == 3})
    if base:  # (episodes, steps, features)
        chosen = {name: shape for name, shape in numbers.items() if shape[:2] == base}
    else:
        rows = table_length(numbers)
        chosen = {name: shape for name, shape in numbers.items() if shape[0] == rows}
    if not chosen:
        objects = [name for name, (_, kind) in shapes.items() if kind.hasobject]
        said = readable(", ".join(objects or shapes))
        raise DepoError(
            f"{path} has no array of numbers with rows ("
            + (f"'{said}' are pickled objects, which depo never loads" if objects else said)
            + "): save plain arrays, all episodes one after the other, with 'episode_lengths'"
        )
    labels, used = _cube_labels(path, numbers, base) if base else _labels(path, numbers, chosen)
    headers = [h for name, shape in chosen.items() for h in headers_of(name, _flat(shape, base))]
    left = sorted(set(shapes) - set(chosen) - set(used))
    return ArchiveTable(
        path=path,
        columns=tuple(Column.of(header) for header in headers),
        state=state_headers(headers),
        time=find_time(headers),
        parts=({name: name for name in chosen},),
        shapes=shapes,
        is_cube=bool(base),
        labels=labels,
        notes=(f"not read: {readable(', '.join(left))}",) if left else (),
    )


def _flat(shape: Sequence[int], is_cube: object) -> Sequence[int]:
    return (shape[0] * shape[1], math.prod(shape[2:])) if is_cube else shape


def _cube(cubes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """Episodes and steps of the arrays that hold states; (): there are none."""
    for word in STATES:
        for name, shape in cubes.items():
            if name == word or name.startswith(f"{word}/"):
                return shape[:2]
    others = [shape for name, shape in cubes.items() if not name.startswith(NO_STATE)]
    return next(iter(others or cubes.values()), ())[:2]


def _cube_labels(
    path: Path, numbers: Mapping[str, tuple[int, ...]], base: tuple[int, ...]
) -> tuple[np.ndarray, list[str]]:
    """Each row's episode, NaN beyond its end, and the arrays that say where that is."""
    count, steps = base
    labels = np.repeat(np.arange(float(count))[:, None], steps, axis=1)
    for name, shape in numbers.items():
        if LENGTHS.match(name.lower()) and shape == (count,):
            lengths = read_npz(path, [name])[name]
            if (lengths < 0).any() or (lengths > steps).any():
                raise DepoError(
                    f"{path}: '{name}' are not between 0 and the {steps} steps there are"
                )
            labels[np.arange(steps) >= lengths[:, None]] = np.nan
            return labels.ravel(), [name]
        if MASK.match(name.lower()) and shape == base:
            labels[read_npz(path, [name])[name] == 0] = np.nan
            return labels.ravel(), [name]
    return labels.ravel(), []


def _labels(
    path: Path, numbers: Mapping[str, tuple[int, ...]], chosen: Mapping[str, tuple[int, ...]]
) -> tuple[np.ndarray | None, list[str]]:
    """Each row's episode, where arrays say it, and which do."""
    rows = next(iter(chosen.values()))[0]
    for name in GIVEN:
        if name in numbers:
            return _given_labels(read_npz(path, [name])[name], name, rows, path), [name]
    ends = [name for name in ENDS if name in chosen and len(chosen[name]) == 1]
    if not ends:
        return None, []
    marks = read_npz(path, ends)
    return labels_from_ends(np.any([marks[name] != 0 for name in ends], axis=0)), ends


def _numbered(numbers: Mapping[str, tuple[int, ...]]) -> list[str]:
    """Arrays that are an episode each: called so, or of one width and different lengths."""
    groups: dict[tuple[str, int], list[tuple[int, str]]] = defaultdict(list)
    for name, shape in numbers.items():
        if len(shape) == 2 and (found := NUMBERED.match(name)):
            groups[found["name"].lower(), shape[1]].append((int(found["number"]), name))
    for (word, _), group in groups.items():
        names = [name for _, name in sorted(group)]
        differ = len({numbers[name][0] for name in names}) > 1
        if len(names) > 1 and (differ or EPISODE.match(word)):
            return names
    return []


def _episodes(path: Path, shapes: Shapes, names: Sequence[str]) -> ArchiveTable:
    lengths = np.array([shapes[name][0][0] for name in names])
    left = sorted(set(shapes) - set(names))
    return ArchiveTable(
        path=path,
        columns=tuple(Column.of(h) for h in headers_of("state", shapes[names[0]][0])),
        parts=tuple({"state": name} for name in names),
        shapes=shapes,
        labels=labels_from_lengths(lengths),
        notes=(
            f"{len(names)} arrays of one width, {readable(names[0])} and so on: an episode each",
            *([f"not read: {readable(', '.join(left))}"] if left else []),
        ),
    )


def _given_labels(given: np.ndarray, name: str, rows: int, path: Path) -> np.ndarray:
    if given.ndim != 1 or given.dtype.kind not in "iu" or (given < 0).any():
        raise DepoError(f"{path}: '{name}' is no list of whole numbers")
    if name != "episode_lengths":
        starts = given if name == "split_points" else np.concatenate([[0], given[:-1]])
        labels = labels_from_splits(starts, rows, path)
        assert labels is not None
        return labels
    if int(given.astype(object).sum()) != rows:
        raise DepoError(f"{path}: '{name}' add up to {given.sum()}, there are {rows} rows")
    return labels_from_lengths(given)

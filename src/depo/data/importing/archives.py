"""NumPy archives: our own demonstrations, LocoMuJoCo's trajectories, and arrays of equal length.

Arrays are read in blocks of rows, so an archive may be larger than memory.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from depo.core.errors import DepoError, readable
from depo.core.npz import Blocks, array_shapes, npz_blocks, read_npz
from depo.data.demonstrations import Demonstrations
from depo.data.importing.array_episodes import (
    Told,
    labels_from_lengths,
    labels_of_cube,
    labels_of_rows,
    marks_of_ends,
    padded,
)
from depo.data.importing.arrays import (
    MOST_COLUMNS,
    NO_STATE,
    STATES,
    check_not_turned,
    component_of,
    headers_of,
    state_headers,
    table_length,
    without_matrices,
    without_poses,
)
from depo.data.importing.clock import find_time
from depo.data.importing.locomujoco import open_trajectory
from depo.data.importing.memory import demonstrations_table
from depo.data.importing.report import FileReport
from depo.data.importing.roles import EPISODE, bare
from depo.data.importing.table import ROWS, Column, Rows, Table, with_label
from depo.data.importing.units import TIME, Unit

Shapes = Mapping[str, tuple[tuple[int, ...], np.dtype]]
NUMBERED = re.compile(r"^(?P<name>.*?)_?(?P<number>\d+)(?P<rest>/[^/]+)?$")
"""An array of an episode: traj_0, or episode_0/obs."""
NAMELESS = re.compile(r"arr_\d+$")
"""What ``numpy.savez`` calls arrays that are given without a name."""
RATES = (
    *("frequency", "fps", "hz", "samplerate", "samplingrate", "freq"),
    *("framerate", "mocapframerate", "updaterate"),
)
"""What a single number is called that says how often rows were recorded, without underscores."""


TICKS = {"D": 86_400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
"""Seconds of what NumPy counts time by."""


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
    may_be_padded: bool = False
    """Whether nobody says where the episodes of a cube end."""

    @property
    def tells_episodes(self) -> bool:
        """Whether it says where episodes begin."""
        return self.labels is not None

    def rows(
        self, wanted: Sequence[str], time: str, episode: str, report: FileReport
    ) -> Iterator[Rows]:
        """The columns, a block at a time."""
        headers = [*wanted, *(header for header in (time, episode) if header)]
        columns = [component_of(header, self.parts[0]) for header in headers]
        total = sum(self._rows_of(part[columns[0][0]]) for part in self.parts)
        done = 0
        for part, block in self._blocks(columns):
            label = self.labels[done : done + len(block)] if self.labels is not None else None
            done += len(block)
            if self.may_be_padded and label is not None:
                steps = self.shapes[part[columns[0][0]]][0][1]
                label = np.where(padded(block[:, : len(wanted)], steps), np.nan, label)
            rows = Rows(
                block[:, : len(wanted)],
                block[:, len(wanted)] if time else None,
                block[:, -1] if episode else label,
                done / total,
            )
            yield from with_label(rows, report)

    def _rows_of(self, name: str) -> int:
        shape = self.shapes[name][0]
        return shape[0] * shape[1] if self.is_cube else shape[0]

    def _blocks(
        self, columns: Sequence[tuple[str, int | None]]
    ) -> Iterator[tuple[Mapping[str, str], np.ndarray]]:
        """Some columns of each part, block after block."""
        names = [list(dict.fromkeys(part[name] for name, _ in columns)) for part in self.parts]
        with npz_blocks(self.path, names) as parts:
            for part, read in zip(self.parts, parts, strict=True):
                for block in self._blocks_of([(part[name], i) for name, i in columns], read):
                    yield part, block

    def _blocks_of(
        self, columns: Sequence[tuple[str, int | None]], read: Blocks
    ) -> Iterator[np.ndarray]:
        """Some columns of arrays of one length, block after block."""
        names = list(dict.fromkeys(name for name, _ in columns))
        length = self.shapes[names[0]][0][0]
        apiece = max(1, self._rows_of(names[0]) // max(1, length))
        count = max(1, ROWS // apiece)
        for begin in range(0, length, count):
            own = {name: read(name, min(count, length - begin)) for name in names}
            if self.is_cube:
                own = {
                    name: block.reshape(block.shape[0] * block.shape[1], -1)
                    for name, block in own.items()
                }
            picked = [own[name] if i is None else own[name][:, i] for name, i in columns]
            yield np.stack([_as_floats(np.ravel(each)) for each in picked], axis=1)


def open_archive(path: Path) -> Table:
    """Recognise what an archive holds."""
    shapes = array_shapes(path)
    if not shapes:
        raise DepoError(
            f"{path} holds no NumPy arrays: a zip of other files is unpacked first, a spreadsheet "
            "(.xlsx) saved as CSV"
        )
    if {"observations", "episode_lengths"} <= set(shapes) and not _is_whole(shapes):
        return demonstrations_table(Demonstrations.load(path), path)
    if {"qpos", "split_points"} <= set(shapes):
        return open_trajectory(path, shapes)
    return _arrays(path, shapes)


def _is_whole(shapes: Shapes) -> bool:
    """Whether states are vectors of whole numbers, which demonstrations do not hold."""
    shape, kind = shapes["observations"]
    return len(shape) == 2 and kind.kind in "biu"


def _arrays(path: Path, shapes: Shapes) -> ArchiveTable:
    """Any archive: its arrays of numbers that have the same length."""
    numbers = {
        name: shape
        for name, (shape, kind) in shapes.items()
        if shape
        and shape[0] > 0
        and (
            (kind.kind in "biuf" and len(shape) <= 3)
            or (_tick(kind) and math.prod(shape) == shape[0])
        )
    }
    numbers = without_poses(numbers)
    marked = {numbers[name][0] for name in marks_of_ends(numbers)}
    numbers = without_matrices(numbers, marked, path)
    if episodes := _numbered(numbers):
        return _episodes(path, shapes, episodes)
    base = _cube({name: shape for name, shape in numbers.items() if len(shape) == 3})
    if base:  # (episodes, steps, features)
        chosen = {name: shape for name, shape in numbers.items() if shape[:2] == base}
    else:
        rows = table_length(numbers)
        check_not_turned(numbers, rows, path)
        chosen = {name: shape for name, shape in numbers.items() if shape[0] == rows}
    if not chosen:
        raise _nothing(path, shapes)
    _check_alike(chosen, path)
    read = partial(_read, path)
    told = labels_of_cube(numbers, base, read, path) if base else Told()
    if not base:
        told = labels_of_rows(numbers, next(iter(chosen.values()))[0], read, path)
    headers = [h for name, shape in chosen.items() for h in headers_of(name, _flat(shape, base))]
    if len(headers) > MOST_COLUMNS:
        raise DepoError(
            f"{path} has {len(headers):,} columns of numbers, at most {MOST_COLUMNS:,} are read"
        )
    hz, rate = _rate(path, shapes)
    left = sorted(set(shapes) - set(chosen) - {*told.used, rate})
    return ArchiveTable(
        path=path,
        columns=tuple(Column.of(h, _tick(shapes[h][1]) if h in shapes else None) for h in headers),
        state=state_headers(headers),
        time=find_time(headers),
        hz=hz,
        parts=({name: name for name in chosen},),
        shapes=shapes,
        is_cube=bool(base),
        labels=told.labels,
        may_be_padded=bool(base) and not told.used,
        notes=(*told.notes, *([f"not read: {readable(', '.join(left))}"] if left else [])),
    )


def _tick(kind: np.dtype) -> Unit | None:
    """The unit of NumPy's dates and spans of time."""
    if kind.kind not in "mM":
        return None
    name, count = np.datetime_data(kind)
    seconds = TICKS.get(name)
    return None if seconds is None else Unit("s", seconds * count, TIME)


def _as_floats(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind not in "mM":
        return values.astype(float)
    return np.where(np.isnat(values), np.nan, values.astype(np.int64).astype(float))


def _read(path: Path, name: str) -> np.ndarray:
    return read_npz(path, [name])[name]


def _nothing(path: Path, shapes: Shapes) -> DepoError:
    objects = [name for name, (_, kind) in shapes.items() if kind.hasobject]
    if fields := [name for name, (_, kind) in shapes.items() if kind.names and not kind.hasobject]:
        return DepoError(
            f"{path}: '{readable(fields[0])}' is an array of records, which is not read: save "
            "each field for itself, numpy.savez('FILE.npz', **{n: a[n] for n in a.dtype.names})"
        )
    said = readable(", ".join(objects or shapes))
    return DepoError(
        f"{path} has no array of numbers with rows ("
        + (f"'{said}' are pickled objects, which depo never loads" if objects else said)
        + "): save plain arrays, all episodes one after the other, with 'episode_lengths'"
    )


def _check_alike(chosen: Mapping[str, tuple[int, ...]], path: Path) -> None:
    """Refuse arrays without names of their own that may be episodes as well as features."""
    if len(chosen) > 1 and len({*chosen.values()}) == 1 and all(map(NAMELESS.match, chosen)):
        shape = next(iter(chosen.values()))
        raise DepoError(
            f"{path}: {len(chosen)} arrays without names ({readable(', '.join(chosen))}) have one "
            f"shape, {shape}, and may be episodes or features: name them, "
            "numpy.savez('FILE.npz', traj_0=…, traj_1=…) or numpy.savez('FILE.npz', obs=…)"
        )


def _rate(path: Path, shapes: Shapes) -> tuple[float | None, str]:
    """How often rows were recorded, and the array that says it."""
    for name, (shape, kind) in shapes.items():
        if bare(name) in RATES and math.prod(shape) == 1 and kind.kind in "fiu":
            hz = float(_read(path, name).ravel()[0])
            return (hz, name) if 0 < hz < math.inf else (None, "")
    return None, ""


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


def _numbered(numbers: Mapping[str, tuple[int, ...]]) -> list[str]:
    """Arrays that are an episode each: called so, or of one width and different lengths."""
    groups: dict[tuple[str, str, int], list[tuple[int, str]]] = defaultdict(list)
    for name, shape in numbers.items():
        if len(shape) == 2 and (found := NUMBERED.match(name)):
            rest = (found["rest"] or "").lower()
            groups[found["name"].lower(), rest, shape[1]].append((int(found["number"]), name))
    for (word, rest, _), group in sorted(groups.items(), key=lambda each: _likely(each[0][1])):
        names = [name for _, name in sorted(group)]
        differ = len({numbers[name][0] for name in names}) > 1
        if len(names) > 1 and (differ or rest or EPISODE.match(bare(word))):
            return names
    return []


def _likely(rest: str) -> int:
    """A key that sorts what is called as the state first."""
    word = rest.removeprefix("/")
    return STATES.index(word) if word in STATES else len(STATES)


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

"""NumPy archives: our own demonstrations, LocoMuJoCo's trajectories, and arrays of equal length."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from depo.core.errors import DepoError, readable
from depo.core.npz import array_shapes, read_npz
from depo.data.demonstrations import Demonstrations
from depo.data.importing.arrays import (
    ENDS,
    component_of,
    headers_of,
    labels_from_ends,
    labels_from_lengths,
    state_headers,
    table_length,
)
from depo.data.importing.clock import find_time
from depo.data.importing.report import FileReport
from depo.data.importing.table import ROWS, Column, Rows, Table

FREE, BALL = 0, 1
"""MuJoCo's numbers for joints with a quaternion."""
JOINTS: dict[int, tuple[tuple[str, ...], tuple[str, ...]]] = {
    FREE: (("x", "y", "z", "qw", "qx", "qy", "qz"), ("vx", "vy", "vz", "wx", "wy", "wz")),
    BALL: (("qw", "qx", "qy", "qz"), ("wx", "wy", "wz")),
}
"""Positions and velocities of such a joint."""


@dataclass(frozen=True)
class ArrayTable(Table):
    """Columns that are in memory."""

    arrays: Mapping[str, np.ndarray] = field(kw_only=True)
    """Datasets by name, of rank 1 or 2."""
    labels: np.ndarray | None = None
    """Each row's episode, where the format says it."""

    @property
    def tells_episodes(self) -> bool:
        """Whether it says where episodes begin."""
        return self.labels is not None

    def rows(
        self, wanted: Sequence[str], time: str, episode: str, report: FileReport
    ) -> Iterator[Rows]:
        """The columns, a chunk at a time."""
        del report
        total = len(self._column(wanted[0]))
        label = self._column(episode) if episode else self.labels
        for begin in range(0, total, ROWS):
            own = slice(begin, begin + ROWS)
            yield Rows(
                np.stack([self._column(name)[own] for name in wanted], axis=1).astype(float),
                self._column(time)[own].astype(float) if time else None,
                None if label is None else np.asarray(label[own], float),
                min(1.0, (begin + ROWS) / total),
            )

    def _column(self, header: str) -> np.ndarray:
        name, component = component_of(header, self.arrays)
        return self.arrays[name] if component is None else self.arrays[name][:, component]


def open_archive(path: Path) -> ArrayTable:
    """Recognise what an archive holds."""
    shapes = array_shapes(path)
    if {"observations", "episode_lengths"} <= set(shapes):
        return demonstrations_table(Demonstrations.load(path), path)
    if {"qpos", "split_points"} <= set(shapes):
        return _trajectory(path, shapes)
    return _arrays(path, shapes)


def demonstrations_table(demos: Demonstrations, path: Path) -> ArrayTable:
    """Demonstrations as rows: each is one step of the environment they are from."""
    states = demos.observations[:, None] if demos.is_finite else demos.observations
    step = demos.metadata.get("time_step")
    is_step = isinstance(step, int | float) and not isinstance(step, bool)
    return ArrayTable(
        path=path,
        columns=tuple(Column(name, name) for name in demos.feature_names),
        state=demos.feature_names,
        hz=1 / step if is_step and step and 0 < step < math.inf else None,
        are_steps=True,
        is_finite=demos.is_finite,
        environment=str(demos.metadata.get("environment", "")),
        arrays={name: states[:, i] for i, name in enumerate(demos.feature_names)},
        labels=labels_from_lengths(demos.episode_lengths),
    )


def _trajectory(path: Path, shapes: Mapping[str, tuple[tuple[int, ...], np.dtype]]) -> ArrayTable:
    """A trajectory of LocoMuJoCo: positions and velocities of named joints, at one frequency."""
    wanted = ("qpos", "qvel", "split_points", "joint_names", "jnt_type", "frequency")
    plain = [n for n in wanted if n in shapes and not shapes[n][1].hasobject]
    read = read_npz(path, plain)
    for name in ("qpos", "qvel"):
        if name in read and (read[name].ndim != 2 or read[name].dtype.kind not in "fiu"):
            raise DepoError(
                f"{path}: '{name}' has shape {read[name].shape}: expected (rows, joints)"
            )
    data = {name: read[name] for name in ("qpos", "qvel") if name in read}
    if "qpos" not in data:
        raise DepoError(f"{path}: 'qpos' is no array of numbers: save it again without pickles")
    for name, allowed, what in (
        ("jnt_type", "iu", "whole numbers"),
        ("frequency", "fiu", "numbers"),
    ):
        if name in read and read[name].dtype.kind not in allowed:
            raise DepoError(f"{path}: '{name}' has dtype {read[name].dtype}: expected {what}")
    arrays: dict[str, np.ndarray] = {}
    columns: list[Column] = []
    kinds = [int(kind) for kind in np.atleast_1d(read.get("jnt_type", np.zeros(0, int))).ravel()]
    joints = [str(name) for name in np.atleast_1d(read.get("joint_names", np.zeros(0))).ravel()]
    for i, (name, array) in enumerate(data.items()):
        if len(array) != len(data["qpos"]):
            raise DepoError(f"{path}: 'qpos' has {len(data['qpos'])} rows, '{name}' {len(array)}")
        known = _joint_columns(joints, kinds, i) if len(joints) == len(kinds) else []
        if len(known) != array.shape[1]:
            known = [Column(f"{name}.{j}", f"{name}.{j}") for j in range(array.shape[1])]
        columns += known
        arrays |= {column.header: array[:, j] for j, column in enumerate(known)}
    if len(arrays) != len(columns):
        raise DepoError(f"{path}: 'joint_names' has a name twice: rename one")
    frequency = read.get("frequency")
    hz = float(frequency.ravel()[0]) if frequency is not None and frequency.size == 1 else math.nan
    return ArrayTable(
        path=path,
        columns=tuple(columns),
        state=tuple(column.header for column in columns),
        hz=hz if 0 < hz < math.inf else None,
        arrays=arrays,
        labels=_split_labels(read.get("split_points"), len(data["qpos"]), path),
        notes=("a trajectory of LocoMuJoCo",),
    )


def _joint_columns(joints: Sequence[str], kinds: Sequence[int], which: int) -> list[Column]:
    """Names of positions (0) or velocities (1), joint by joint; quaternions are told."""
    prefix = ("q", "dq")[which]
    found = []
    for joint, kind in zip(joints, kinds, strict=True):
        if kind not in JOINTS:
            found.append(Column(f"{prefix}_{joint}", f"{prefix}_{joint}"))
            continue
        for part in JOINTS[kind][which]:
            name = f"{prefix}_{joint}_{part}"
            found.append(Column(name, name, None, joint if part[0] == "q" else ""))
    return found


def _split_labels(points: np.ndarray | None, rows: int, path: Path) -> np.ndarray | None:
    """Each row's trajectory, from where they begin."""
    if points is None:
        return None
    if points.ndim != 1 or points.dtype.kind not in "iu" or not len(points):
        raise DepoError(f"{path}: 'split_points' is no list of whole numbers")
    if (np.diff(points.astype(np.int64)) < 0).any() or points[0] < 0 or points[-1] > rows:
        raise DepoError(f"{path}: 'split_points' do not grow from 0 to the {rows} rows")
    return np.searchsorted(points, np.arange(rows), side="right").astype(float)


def _arrays(path: Path, shapes: Mapping[str, tuple[tuple[int, ...], np.dtype]]) -> ArrayTable:
    """Any archive: its arrays of numbers that have the same length."""
    numbers = {
        name: shape
        for name, (shape, kind) in shapes.items()
        if kind.kind in "biuf" and 1 <= len(shape) <= 3 and shape[0] > 0
    }
    cubes = {name: shape for name, shape in numbers.items() if len(shape) == 3}
    if cubes:  # (episodes, steps, features)
        base = next(iter(cubes.values()))[:2]
        chosen = {name: shape for name, shape in numbers.items() if shape[:2] == base}
    else:
        rows = table_length(numbers)
        chosen = {name: shape for name, shape in numbers.items() if shape[0] == rows}
    if not chosen:
        said = readable(", ".join(shapes)) or "none"
        raise DepoError(
            f"{path} has no array of numbers with rows (arrays: {said}): save plain numeric arrays"
        )
    lengths = [n for n in ("episode_lengths", "split_points", "episode_ends") if n in numbers]
    arrays = read_npz(path, [*chosen, *lengths])
    labels = None
    if cubes:
        labels = labels_from_lengths(np.full(base[0], base[1]))
        arrays = {name: arrays[name].reshape(base[0] * base[1], -1) for name in chosen}
    elif lengths:
        labels = _given_labels(arrays[lengths[0]], lengths[0], rows, path)
    elif ends := [name for name in ENDS if name in chosen and len(chosen[name]) == 1]:
        labels = labels_from_ends(np.any([arrays[name] != 0 for name in ends], axis=0))
    headers = [h for name in chosen for h in headers_of(name, arrays[name].shape)]
    left = sorted(set(shapes) - set(chosen) - set(lengths))
    return ArrayTable(
        path=path,
        columns=tuple(Column.of(header) for header in headers),
        state=state_headers(headers),
        time=find_time(headers),
        arrays=arrays,
        labels=labels,
        notes=(f"not read: {readable(', '.join(left))}",) if left else (),
    )


def _given_labels(given: np.ndarray, name: str, rows: int, path: Path) -> np.ndarray:
    if given.ndim != 1 or given.dtype.kind not in "iu" or (given < 0).any():
        raise DepoError(f"{path}: '{name}' is no list of whole numbers")
    if name != "episode_lengths":
        starts = given if name == "split_points" else np.concatenate([[0], given[:-1]])
        labels = _split_labels(starts, rows, path)
        assert labels is not None
        return labels
    if int(given.astype(object).sum()) != rows:
        raise DepoError(f"{path}: '{name}' add up to {given.sum()}, there are {rows} rows")
    return labels_from_lengths(given)

"""Trajectories of LocoMuJoCo: positions and velocities of named joints, at one frequency."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from depo.core.errors import DepoError
from depo.core.npz import read_npz
from depo.data.importing.array_episodes import labels_from_splits
from depo.data.importing.memory import ArrayTable
from depo.data.importing.table import Column

FREE, BALL = 0, 1
"""MuJoCo's numbers for joints with a quaternion."""
JOINTS: dict[int, tuple[tuple[str, ...], tuple[str, ...]]] = {
    FREE: (("x", "y", "z", "qw", "qx", "qy", "qz"), ("vx", "vy", "vz", "wx", "wy", "wz")),
    BALL: (("qw", "qx", "qy", "qz"), ("wx", "wy", "wz")),
}
"""Positions and velocities of such a joint."""


def open_trajectory(
    path: Path, shapes: Mapping[str, tuple[tuple[int, ...], np.dtype]]
) -> ArrayTable:
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
        labels=labels_from_splits(read.get("split_points"), len(data["qpos"]), path),
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

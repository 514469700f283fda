"""What a finished run says of itself: its metrics, and digests of all it learned and kept."""

from __future__ import annotations

import csv
import hashlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load

DIGITS = 16
"""Of a digest: enough against chance, and references stay small."""
Trajectory = dict[str, Any]


def trajectory_of(run: Path) -> Trajectory:
    """Metrics by column, exported arrays by name, and the state's arrays by content alone.

    The state has no names here on purpose: it may be put together in another way.
    """
    return {
        "metrics": read_metrics(run / "metrics.csv"),
        "exported": {
            f"{path.parent.relative_to(run)}: {name}": array_digest(array)
            for kind in ("planner", "skill")
            for path, name, array in arrays_in(run / kind)
        },
        "state": sorted(state_digests(run).values()),
        "replay": sorted(array_digest(array) for _, _, array in arrays_in(run / "replay")),
    }


def read_metrics(path: Path) -> dict[str, list[float]]:
    """All rows, by column."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def state_digests(run: Path) -> dict[str, str]:
    """Of every floating array in the last checkpoint, by its name there."""
    last = max((run / "checkpoints").iterdir(), key=lambda path: path.name)
    return {
        f"{path.stem}: {name}": array_digest(array)
        for path, name, array in arrays_in(last)
        if np.issubdtype(array.dtype, np.floating)
    }


def arrays_in(folder: Path) -> Iterable[tuple[Path, str, np.ndarray]]:
    """All arrays of all files below a folder."""
    for path in sorted(folder.rglob("*.safetensors")):
        for name, array in sorted(load(path.read_bytes()).items()):
            yield path, name, array


def array_digest(array: np.ndarray) -> str:
    """Equal if type, shape and every bit are."""
    sha = hashlib.sha256(f"{array.dtype}{array.shape}".encode())
    sha.update(np.ascontiguousarray(array).tobytes())
    return sha.hexdigest()[:DIGITS]


def first_difference(now: Trajectory, before: Trajectory) -> str:
    """What is not bit for bit as before, metrics first, by the earliest row; empty: nothing."""
    found = metrics_difference(now["metrics"], before["metrics"], exactly=True)
    if found:
        return found
    for name in sorted(now["exported"].keys() | before["exported"].keys()):
        if now["exported"].get(name) != before["exported"].get(name):
            there = name in now["exported"], name in before["exported"]
            return f"exported array '{name}' differs (there now, before: {there})"
    for part in ("state", "replay"):
        gone, new = (Counter(a[part]) - Counter(b[part]) for a, b in ((before, now), (now, before)))
        if gone or new:
            return (
                f"{part}: of {len(before[part])} arrays before and {len(now[part])} now, "
                f"{gone.total()} are gone and {new.total()} new: {sorted(new)}"
            )
    return ""


def metrics_difference(
    now: dict[str, list[float]], before: dict[str, list[float]], exactly: bool
) -> str:
    """The first row that is not as before, and a column in it; not exactly: within tolerance."""
    if now.keys() != before.keys():
        return f"columns: new {sorted(now.keys() - before)}, gone {sorted(before.keys() - now)}"
    rows, expected = len(now["seed"]), len(before["seed"])
    if rows != expected:
        return f"{rows} rows of metrics, not {expected}"
    first = before["env_steps"][0]
    for row in range(rows):
        tight = before["env_steps"][row] == first
        for name in now:
            a, b = now[name][row], before[name][row]
            same = repr(a) == repr(b) if exactly else is_close(a, b, tight)
            if not same:
                return f"column '{name}', row {row}: {a!r}, not {b!r}"
    return ""


TIGHT, LOOSE = (1e-4, 1e-5), (1e-2, 1e-4)
"""Relative and absolute tolerance, of the first evaluation and of later ones: other processors
round otherwise, and learning multiplies what that changes. Without AVX2 numbers moved by 1e-6 and
1e-4 of themselves at most; another random stream moves the first by 1e-3."""


def is_close(now: float, before: float, tight: bool) -> bool:
    """As near as another machine comes."""
    relative, absolute = TIGHT if tight else LOOSE
    return bool(np.isclose(now, before, rtol=relative, atol=absolute, equal_nan=True))

"""HDF5: datasets of one table, or a group for each episode; called in a child (``foreign.py``)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from depo.core.errors import DepoError, readable
from depo.data.importing.arrays import (
    ENDS,
    STATES,
    component_of,
    headers_of,
    labels_from_ends,
    state_headers,
    table_length,
)
from depo.data.importing.table import ROWS

DEEPEST, MOST = 16, 200_000
"""Groups within each other, and datasets in all."""
NUMBERED = re.compile(r"^\D*(\d+)$")
"""The name of an episode's group: demo_0, episode-12, 3."""
EPISODES = " episodes "
"""The label that means the groups, or the marked ends; no dataset is called so."""


def describe(path: Path) -> Mapping[str, Any]:
    """Columns, common to all episodes."""
    with _opened(path) as file:
        episodes, tables = _tables(file, path)
        first = tables[0]
        common = [n for n in first if all(n in table for table in tables)]
        shapes = {name: first[name].shape for name in common}
        rows = table_length(shapes)
        same = [n for n in common if len(tables) > 1 or shapes[n][0] == rows]
        headers = [header for name in same for header in headers_of(name, shapes[name])]
        if not headers:
            raise DepoError(f"{path} has no dataset of numbers with rows")
        marked = any(name in ENDS for name in same)
        left = sorted({name for table in tables for name in table} - set(same))
        return {
            "columns": headers,
            "state": list(state_headers(headers)),
            "labels": EPISODES if episodes or marked else "",
            "notes": [f"not read: {readable(', '.join(left))}"] if left else [],
        }


def blocks(path: Path, wanted: Sequence[str], time: str, label: str) -> Iterator[np.ndarray]:
    """Rows of the columns asked for, then time, then label; episode after episode."""
    with _opened(path) as file:
        episodes, tables = _tables(file, path)
        for number, table in enumerate(tables):
            names = [*wanted, *([time] if time else [])]
            if label and label != EPISODES:
                names.append(label)
            columns = [component_of(name, table) for name in names]
            rows = {name: len(table[name]) for name, _ in columns}
            if len(set(rows.values())) > 1:
                said = ", ".join(f"'{name}' {count}" for name, count in list(rows.items())[:4])
                where = f", {episodes[number]}" if episodes else ""
                raise DepoError(
                    f"{path}{where}: datasets have different numbers of rows ({said}): choose some "
                    "of one length with --columns"
                )
            ends = None
            if label == EPISODES and not episodes:
                ends = _ends(table, next(iter(rows.values())))
            for begin in range(0, next(iter(rows.values())), ROWS):
                own = slice(begin, begin + ROWS)
                read = {name: table[name][own] for name in rows}
                parts = [read[n] if i is None else read[n][:, i] for n, i in columns]
                if label == EPISODES:
                    code = np.full(len(parts[0]), float(number)) if ends is None else ends[own]
                    parts.append(code)
                yield np.ascontiguousarray(np.stack(parts, axis=1), np.float64)


def _ends(table: Mapping[str, Any], rows: int) -> np.ndarray:
    marks = [np.asarray(table[n]) for n in ENDS if n in table and table[n].shape == (rows,)]
    return labels_from_ends(np.any(marks, axis=0)) if marks else np.zeros(rows)


def _opened(path: Path) -> Any:
    try:
        import h5py
    except ImportError:
        raise DepoError("HDF5 files need h5py: pip install 'depo[minari]'") from None
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise DepoError(f"{path} is not a readable HDF5 file: {readable(str(error))}") from None


def _tables(file: Any, path: Path) -> tuple[list[str], list[dict[str, Any]]]:
    """Names of the episodes' groups, or none, and the datasets of each table by relative name."""
    found = _datasets(file, path)
    if cubes := {name: data for name, data in found.items() if len(data.shape) == 3}:
        flat = {name: data for name, data in found.items() if name not in cubes}
        if any(name.split("/")[-1] in STATES for name in cubes) or not flat:
            return _of_cubes(cubes)
        found = flat
    groups: dict[str, dict[str, dict[str, Any]]] = {}
    for name, data in found.items():
        parts = name.split("/")
        for i, part in enumerate(parts[:-1]):
            if NUMBERED.match(part):
                parent = "/".join(parts[:i])
                own = groups.setdefault(parent, {}).setdefault(part, {})
                own["/".join(parts[i + 1 :])] = data
                break
    if not groups:
        return [], [found]
    parent = max(groups, key=lambda name: len(groups[name]))
    names = sorted(groups[parent], key=lambda n: (int(NUMBERED.match(n)[1]), n))  # type: ignore[index]
    prefix = f"{parent}/" if parent else ""
    return [f"{prefix}{name}" for name in names], [groups[parent][name] for name in names]


class _Episode:
    """One episode of an array (episodes, steps, features), read when it is asked for."""

    def __init__(self, data: Any, number: int):
        self._data, self._number = data, number
        self.shape, self.dtype = data.shape[1:], data.dtype

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, rows: slice) -> np.ndarray:
        return np.asarray(self._data[self._number, rows])


def _of_cubes(cubes: Mapping[str, Any]) -> tuple[list[str], list[dict[str, Any]]]:
    """Arrays (episodes, steps, features) as a table for each episode."""
    base = next((d for word in STATES for n, d in cubes.items() if n.split("/")[-1] == word), None)
    base = next(iter(cubes.values())) if base is None else base
    own = {name: data for name, data in cubes.items() if data.shape[:2] == base.shape[:2]}
    numbers = range(min(base.shape[0], MOST))
    tables = [{name: _Episode(data, i) for name, data in own.items()} for i in numbers]
    return [f"episode {i}" for i in numbers], tables


def _datasets(file: Any, path: Path) -> dict[str, Any]:
    """All datasets of numbers; links that lead elsewhere are not followed."""
    import h5py

    found: dict[str, Any] = {}
    waiting, seen = [("", file, 0)], 0
    while waiting:
        prefix, group, depth = waiting.pop()
        for name in group:
            seen += 1
            if seen > MOST or depth > DEEPEST:
                raise DepoError(
                    f"{path} holds more than {MOST:,} datasets, or groups more than {DEEPEST} deep"
                )
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                continue
            member = group[name]
            if isinstance(member, h5py.Group):
                waiting.append((f"{prefix}{name}/", member, depth + 1))
            elif isinstance(member, h5py.Dataset) and _is_plain(member):
                found[f"{prefix}{name}"] = member
    if not found:
        raise DepoError(f"{path} has no dataset of numbers with rows")
    return dict(sorted(found.items()))


def _is_plain(data: Any) -> bool:
    """Whether a dataset is rows of numbers that lie in this very file."""
    has_rows = 1 <= len(data.shape) <= 3 and min(data.shape) > 0
    return bool(
        has_rows and data.dtype.kind in "biuf" and not data.is_virtual and not data.external
    )

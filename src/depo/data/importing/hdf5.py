"""HDF5: datasets of one table, or a group for each episode; called in a child (``foreign.py``)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from depo.core.errors import DepoError, readable
from depo.data.importing.array_episodes import (
    Told,
    labels_of_cube,
    labels_of_rows,
    marks_of_ends,
    padded,
)
from depo.data.importing.arrays import (
    STATES,
    check_not_turned,
    component_of,
    headers_of,
    state_headers,
    table_length,
    without_matrices,
    without_poses,
)
from depo.data.importing.hdf5_files import datasets, opened
from depo.data.importing.table import ROWS

NUMBERED = re.compile(r"^\D*(\d+)$")
"""The name of an episode's group: demo_0, episode-12, 3."""
EPISODES = " episodes "
"""The label that means the groups, or the marked ends; no dataset is called so."""


class Tables(NamedTuple):
    """The tables of a file: one, or one for each episode with what these are called."""

    tables: list[dict[str, Any]]
    episodes: list[str]
    told: Told = Told()
    """Where rows of one table belong, or those of all tables one after the other."""
    left: tuple[str, ...] = ()
    """Datasets that are part of none."""
    may_be_padded: bool = False


def describe(path: Path) -> Mapping[str, Any]:
    """Columns, common to all episodes."""
    with opened(path) as file:
        found = _tables(datasets(file, path), path)
        first = found.tables[0]
        common = [n for n in first if all(n in table for table in found.tables)]
        shapes = {name: first[name].shape for name in common}
        rows = table_length(shapes)
        check_not_turned(shapes, rows, path)
        same = [n for n in common if len(found.tables) > 1 or shapes[n][0] == rows]
        headers = [header for name in same for header in headers_of(name, shapes[name])]
        if not headers:
            raise DepoError(f"{path} has no dataset of numbers with rows")
        every = {name for table in found.tables for name in table}
        left = sorted({*every, *found.left} - {*same, *found.told.used})
        named = not all(NUMBERED.match(e.split("/")[-1]) for e in found.episodes)
        notes = [*found.told.notes]
        if named and found.episodes:
            notes.append(f"each group is an episode: {readable(', '.join(found.episodes))}")
        return {
            "columns": headers,
            "state": list(state_headers(headers)),
            "labels": EPISODES if found.episodes or found.told.labels is not None else "",
            "notes": [*notes, *([f"not read: {readable(', '.join(left))}"] if left else [])],
        }


def blocks(path: Path, wanted: Sequence[str], time: str, label: str) -> Iterator[np.ndarray]:
    """Rows of the columns asked for, then time, then label; episode after episode."""
    with opened(path) as file:
        found, done = _tables(datasets(file, path), path), 0
        for number, table in enumerate(found.tables):
            names = [*wanted, *([time] if time else [])]
            if label and label != EPISODES:
                names.append(label)
            columns = [component_of(name, table) for name in names]
            rows = {name: len(table[name]) for name, _ in columns}
            total = next(iter(rows.values()))
            if len(set(rows.values())) > 1:
                said = ", ".join(f"'{name}' {count}" for name, count in list(rows.items())[:4])
                where = f", {found.episodes[number]}" if found.episodes else ""
                raise DepoError(
                    f"{path}{where}: datasets have different numbers of rows ({said}): choose some "
                    "of one length with --columns"
                )
            told = found.told.labels
            codes = np.full(total, float(number)) if told is None else told[done : done + total]
            done += total
            size = max(total, 1) if found.may_be_padded else ROWS
            for begin in range(0, total, size):
                own = slice(begin, begin + size)
                read = {name: table[name][own] for name in rows}
                parts = [np.ravel(read[n] if i is None else read[n][:, i]) for n, i in columns]
                block = np.stack(parts, axis=1).astype(np.float64)
                if label == EPISODES:
                    code = codes[own]
                    if found.may_be_padded:
                        code = np.where(padded(block[:, : len(wanted)], len(block)), np.nan, code)
                    block = np.column_stack([block, code])
                yield np.ascontiguousarray(block)


def _tables(found: dict[str, Any], path: Path) -> Tables:
    """The tables of all datasets of a file."""
    cubes = {name: data for name, data in found.items() if len(data.shape) == 3}
    if cubes:
        marked = {found[name].shape[0] for name in marks_of_ends(_shapes(found))}
        cubes = {name: cubes[name] for name in without_poses(_shapes(found)) if name in cubes}
        cubes = {n: cubes[n] for n in without_matrices(_shapes(cubes), marked, path)}
        flat = {name: data for name, data in found.items() if len(data.shape) < 3}
        if any(name.split("/")[-1] in STATES for name in cubes) or not flat:
            return _of_cubes(cubes, flat, path)
        found = flat
    names, groups = _numbered_groups(found)
    names, groups = (names, groups) if groups else _groups_alike(found)
    if groups:
        return Tables(groups, names)
    rows = table_length(_shapes(found))
    told = labels_of_rows(_shapes(found), rows, lambda name: np.asarray(found[name][:]), path)
    return Tables([found], [], told)


def _shapes(found: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    return {name: data.shape for name, data in found.items()}


def _numbered_groups(found: Mapping[str, Any]) -> tuple[list[str], list[dict[str, Any]]]:
    """Names and datasets of groups called demo_0, demo_1, …"""
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
        return [], []
    has_state = {p: any(_is_state(n) for own in g.values() for n in own) for p, g in groups.items()}
    if not any(has_state.values()) and any(_is_state(name) for name in found):
        return [], []  # the layers of a policy that comes with its recordings
    parent = max(groups, key=lambda name: (has_state[name], len(groups[name])))
    names = sorted(groups[parent], key=lambda n: (int(NUMBERED.match(n)[1]), n))  # type: ignore[index]
    prefix = f"{parent}/" if parent else ""
    return [f"{prefix}{name}" for name in names], [groups[parent][name] for name in names]


def _groups_alike(found: Mapping[str, Any]) -> tuple[list[str], list[dict[str, Any]]]:
    """Names and datasets of groups that each hold a state, whatever they are called."""
    groups: dict[str, dict[str, Any]] = {}
    for name, data in found.items():
        group, slash, rest = name.partition("/")
        if slash:
            groups.setdefault(group, {})[rest] = data
    alike = {g: own for g, own in groups.items() if any(map(_is_state, own))}
    if len(alike) < 2 or any(map(_is_state, found)):
        return [], []
    return list(alike), list(alike.values())


def _is_state(name: str) -> bool:
    return name.split("/")[0] in STATES


class _Episode:
    """One episode of an array (episodes, steps, features), read when it is asked for."""

    def __init__(self, data: Any, number: int):
        self._data, self._number = data, number
        self.shape, self.dtype = data.shape[1:], data.dtype

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, rows: slice) -> np.ndarray:
        return np.asarray(self._data[self._number, rows])


def _of_cubes(cubes: Mapping[str, Any], flat: Mapping[str, Any], path: Path) -> Tables:
    """Arrays (episodes, steps, features) as a table for each episode."""
    base = next((d for word in STATES for n, d in cubes.items() if n.split("/")[-1] == word), None)
    base = next(iter(cubes.values())) if base is None else base
    own = {name: data for name, data in cubes.items() if data.shape[:2] == base.shape[:2]}
    every = {**cubes, **flat}
    told = labels_of_cube(
        _shapes(every), base.shape[:2], lambda name: np.asarray(every[name][:]), path
    )
    tables = [{n: _Episode(data, i) for n, data in own.items()} for i in range(base.shape[0])]
    names = [f"episode {i}" for i in range(base.shape[0])]
    return Tables(tables, names, told, tuple(set(every) - set(own)), not told.used)

"""Damage to plain data, one thing at a time."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from typing import Any

OTHERS: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**400,
    1.5,
    math.nan,
    math.inf,
    "",
    "nobody knows this",
    "\ud800",
    [],
    ["a", 1],
    {},
    {"a": {"b": 1}},
)


def mutations(data: Any) -> Iterator[tuple[str, Any]]:
    """Every value replaced by others, every entry left out, unknown ones added: what was done, and
    the damaged copy. Values that happen to be equal are no damage."""
    for path in paths(data):
        for value in OTHERS:
            if type(value) is type(at(data, path)) and value == at(data, path):
                continue
            damaged = copy.deepcopy(data)
            at(damaged, path[:-1])[path[-1]] = value
            yield f"{_said(path)} = {value!r}"[:80], damaged
        damaged = copy.deepcopy(data)
        del at(damaged, path[:-1])[path[-1]]
        yield f"{_said(path)} is missing", damaged
    for path in [(), *paths(data)]:
        if isinstance(at(data, path), dict):
            damaged = copy.deepcopy(data)
            at(damaged, path)["unheard of"] = 1
            yield f"{_said((*path, 'unheard of'))} is added", damaged


def paths(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where there is a value in plain data."""
    below = (
        list(data) if isinstance(data, dict) else range(len(data) if isinstance(data, list) else 0)
    )
    for key in below:
        yield (*path, key)
        yield from paths(data[key], (*path, key))


def at(data: Any, path: tuple[Any, ...]) -> Any:
    """The value there."""
    for key in path:
        data = data[key]
    return data


def _said(path: tuple[Any, ...]) -> str:
    return ".".join(map(str, path))

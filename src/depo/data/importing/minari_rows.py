"""Minari's datasets, an episode at a time; called in a child (``foreign.py``).

Observations that are Dicts become one vector, keys in the order of the space, features called as
depo's environments call them: ``achieved_goal.x0``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, Space

from depo.core.codec import said_of
from depo.core.errors import DepoError, readable
from depo.core.files import read_object
from depo.data.hdf5 import check_self_contained
from depo.data.minari_format import ABOUT, read_mark, short, the_library, values_of

EPISODE = " episode "
"""The label; no part of an observation is called so."""


class Part(NamedTuple):
    """Numbers in a row that are part of an observation, or all of it."""

    way: tuple[str, ...]
    space: Space

    @property
    def headers(self) -> list[str]:
        """What its columns are called here."""
        name = ".".join(self.way) or "observation"
        shape = self.space.shape or ()
        return [f"{name}.{i}" for i in range(shape[0])] if shape else [name]

    @property
    def names(self) -> list[str]:
        """What depo's environments call those of a Dict."""
        name, shape = ".".join(self.way), self.space.shape or ()
        return [f"{name}.x{i}" for i in range(shape[0])] if shape else [name]

    def values(self, observations: Any) -> np.ndarray:
        """Its columns in an episode."""
        for key in self.way:
            observations = observations[key]
        return values_of(observations, self.space).astype(np.float64).reshape(-1, len(self.headers))


def describe(path: Path) -> Mapping[str, Any]:
    """Columns of all parts of an observation that are numbers, and what they are called."""
    data, mark = _opened(path)
    space, spec = data.observation_space, data.env_spec
    parts, left = _parts(space)
    if not parts:
        raise DepoError(
            f"{path}: the observation space is {short(space)}, demonstrations hold finite "
            "(Discrete) states or vectors (Box of rank 1, or a Dict of such): flatten it first"
        )
    headers = [header for part in parts for header in part.headers]
    is_finite = isinstance(space, Discrete)
    names: Sequence[str] = [name for part in parts for name in part.names]
    if not isinstance(space, Dict):
        numbered = ["state"] if is_finite else [f"s{i}" for i in range(len(headers))]
        names = mark.feature_names or numbered
    return {
        "columns": headers,
        "names": dict(zip(headers, names, strict=True)),
        "state": headers,
        "labels": EPISODE,
        "is_finite": is_finite,
        "are_steps": True,
        "environment": "" if spec is None else str(spec.id),
        "hz": _rate(mark.metadata.get("time_step")),
        "notes": [f"not read: {readable(', '.join(left))}"] if left else [],
    }


def blocks(path: Path, wanted: Sequence[str], time: str, label: str) -> Iterator[np.ndarray]:
    """Rows of the columns asked for, then time, then label; an episode each."""
    data, _ = _opened(path)
    parts, _ = _parts(data.observation_space)
    columns = {h: (part, i) for part in parts for i, h in enumerate(part.headers)}
    asked = [columns[header] for header in (*wanted, time, label) if header in columns]
    chosen = {part.way: part for part, _ in asked}
    for number, episode in enumerate(data.iterate_episodes()):
        own = {way: part.values(episode.observations) for way, part in chosen.items()}
        picked = [own[part.way][:, i] for part, i in asked]
        if label == EPISODE:
            picked.append(np.full(len(picked[0]), float(number)))
        if len({len(column) for column in picked}) > 1:
            raise DepoError(f"{path}: parts of episode {number} have different lengths: damaged?")
        yield np.ascontiguousarray(np.stack(picked, axis=1))


def _opened(path: Path) -> tuple[Any, Any]:
    minari = the_library()
    about = read_object(path / ABOUT)
    with said_of(str(path)):
        mark = read_mark(about)
        for file in path.rglob("*.hdf5"):
            check_self_contained(file)
    return minari.MinariDataset(path), mark


def _parts(space: Space, way: tuple[str, ...] = ()) -> tuple[list[Part], list[str]]:
    """The parts of an observation that are numbers in a row, and what the others are."""
    if isinstance(space, Dict):
        inner = [_parts(own, (*way, key)) for key, own in space.spaces.items()]
        return [p for parts, _ in inner for p in parts], [o for _, others in inner for o in others]
    is_row = isinstance(space, Box | MultiBinary) and len(space.shape) <= 1
    if is_row or (isinstance(space, Discrete) and not way):
        return [Part(way, space)], []
    return [], [f"{'.'.join(way)} {short(space)}".strip()]


def _rate(step: Any) -> float | None:
    is_step = isinstance(step, int | float) and not isinstance(step, bool) and 0 < step < np.inf
    return 1 / step if is_step else None

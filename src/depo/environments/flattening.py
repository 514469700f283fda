"""Observations of several parts (Dict, Tuple, MultiDiscrete, …) as one vector of named features.

A feature's name is the way to it: keys joined by dots, then the place in an array (``x2``, of
several axes ``x0_2``), or the value that a one-hot feature stands for (``is3``).

>>> import gymnasium as gym
>>> space = gym.spaces.Dict({"place": gym.spaces.Box(-1, 1, (2,)), "gear": gym.spaces.Discrete(3)})
>>> flat = Flattening.of(space)
>>> flat.names
('gear.is0', 'gear.is1', 'gear.is2', 'place.x0', 'place.x1')
>>> flat.vector({"place": [0.5, -0.5], "gear": 2}).tolist()
[0.0, 0.0, 1.0, 0.5, -0.5]
>>> Flattening.of(space, ("place",)).names
('place.x0', 'place.x1')
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete

from depo.core.errors import DepoError, unknown

Way = tuple[str | int, ...]
"""Keys of Dicts and places in Tuples, from outside to inside."""
MOST = 4_096
"""Values above which a discrete part is no one-hot vector any more."""


@dataclass(frozen=True)
class Part:
    """One array or number of an observation, and the numbers of a vector it becomes."""

    way: Way
    space: Box | Discrete | MultiBinary | MultiDiscrete

    @property
    def path(self) -> str:
        """What it is called."""
        return ".".join(map(str, self.way))

    def names(self) -> Iterator[str]:
        """What each of its numbers is called."""
        if isinstance(self.space, Discrete):
            first = int(self.space.start)
            values = range(first, first + int(self.space.n))
            return (_joined(self.path, f"is{i}") for i in values)
        places = itertools.product(*map(range, self.space.shape))
        single = not self.space.shape and self.path
        named = (
            self.path if single else _joined(self.path, "x" + "_".join(map(str, place)))
            for place in places
        )
        if not isinstance(self.space, MultiDiscrete):
            return named
        return (
            f"{name}.is{first + i}"
            for name, (first, count) in zip(named, self._ranges(), strict=True)
            for i in range(count)
        )

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each of its numbers."""
        if isinstance(self.space, Box):
            low, high = self.space.low.ravel(), self.space.high.ravel()
            return low.astype(np.float64), high.astype(np.float64)
        size = sum(1 for _ in self.names())
        return np.zeros(size), np.ones(size)

    def vector(self, value: Any) -> np.ndarray:
        """Its numbers, discrete ones as one-hot vectors."""
        array = np.asarray(value)
        if isinstance(self.space, Box | MultiBinary):
            self._check(array, tuple(self.space.shape))
            return array.astype(np.float64).ravel()
        shape = () if isinstance(self.space, Discrete) else tuple(self.space.shape)
        self._check(array, shape)
        pairs = zip(array.ravel(), self._ranges(), strict=True)
        return np.concatenate([self._one_hot(int(own), *span) for own, span in pairs])

    def value(self, vector: np.ndarray) -> Any:
        """The way back; of one-hot numbers the largest."""
        if isinstance(self.space, Box | MultiBinary):
            return vector.reshape(self.space.shape).astype(self.space.dtype)
        spans = self._ranges()
        pieces = np.split(vector, np.cumsum([count for _, count in spans])[:-1])
        found = [
            first + int(np.argmax(piece)) for piece, (first, _) in zip(pieces, spans, strict=True)
        ]
        if isinstance(self.space, Discrete):
            return np.int64(found[0])
        return np.array(found, self.space.dtype).reshape(self.space.shape)

    def _ranges(self) -> list[tuple[int, int]]:
        """First value and number of values, of each number of a discrete part."""
        if isinstance(self.space, Discrete):
            return [(int(self.space.start), int(self.space.n))]
        assert isinstance(self.space, MultiDiscrete)
        starts, counts = self.space.start.ravel(), self.space.nvec.ravel()
        return [(int(first), int(count)) for first, count in zip(starts, counts, strict=True)]

    def _one_hot(self, value: int, first: int, count: int) -> np.ndarray:
        if not first <= value < first + count:
            raise DepoError(
                f"observation '{self.path}' is {value}, its values are {first} to "
                f"{first + count - 1}"
            )
        return np.eye(1, count, value - first)[0]

    def _check(self, array: np.ndarray, shape: tuple[int, ...]) -> None:
        if array.shape != shape or array.dtype.kind not in "fiub":
            raise DepoError(
                f"observation '{self.path}' has the shape {array.shape} and dtype {array.dtype}, "
                f"its space says numbers of the shape {shape}"
            )


@dataclass(frozen=True)
class Flattening:
    """Parts of an observation, in the order in which they stand in a vector."""

    parts: tuple[Part, ...]

    @classmethod
    def of(cls, space: gym.Space, keys: Sequence[str] = ()) -> Flattening:
        """All parts of a space, or those below some keys (``robot.arm``), in the space's order."""
        leaves = list(_leaves(space, ()))
        for key in keys:
            if not any(_is_below(way, key) for way, _ in leaves):
                raise unknown("part of the observation", key, _offered(leaves))
        chosen = [x for x in leaves if not keys or any(_is_below(x[0], key) for key in keys)]
        made = cls(tuple(_part(way, leaf) for way, leaf in chosen))
        names = made.names
        if not names:
            raise DepoError(f"the observation space {space} has no numbers: there is no state")
        if len(set(names)) < len(names):
            twice = next(name for i, name in enumerate(names) if name in names[:i])
            raise DepoError(
                f"two parts of the observation space {space} are both called '{twice}': rename a "
                "key, without dots"
            )
        return made

    @property
    def names(self) -> tuple[str, ...]:
        """What the numbers of a vector are called."""
        return tuple(name for part in self.parts for name in part.names())

    @property
    def box(self) -> Box:
        """The space of vectors."""
        low, high = zip(*(part.bounds() for part in self.parts), strict=True)
        return Box(np.concatenate(low), np.concatenate(high), dtype=np.float64)

    def vector(self, observation: Any) -> np.ndarray:
        """An observation as a vector."""
        return np.concatenate(
            [part.vector(_inside(observation, part.way)) for part in self.parts], dtype=np.float64
        )

    def observation(self, vector: np.ndarray) -> Any:
        """The way back: Dicts and Tuples as dictionaries, of chosen parts only."""
        sizes = [sum(1 for _ in part.names()) for part in self.parts]
        pieces = np.split(np.asarray(vector), np.cumsum(sizes)[:-1])
        values = zip(self.parts, pieces, strict=True)
        nested: dict[str | int, Any] = {}
        for part, piece in values:
            if not part.way:
                return part.value(piece)
            *outer, last = part.way
            inner = nested
            for key in outer:
                inner = inner.setdefault(key, {})
            inner[last] = part.value(piece)
        return nested


def has_parts(space: gym.Space) -> bool:
    """Whether observations are no single array or number, but can be flattened to one."""
    return isinstance(space, gym.spaces.Dict | gym.spaces.Tuple | MultiBinary | MultiDiscrete)


def is_picture(space: gym.Space) -> bool:
    """Whether it is an array of pixels: bytes in two axes or more."""
    return isinstance(space, Box) and space.dtype == np.uint8 and len(space.shape) > 1


def _leaves(space: gym.Space, way: Way) -> Iterator[tuple[Way, gym.Space]]:
    if isinstance(space, gym.spaces.Dict):
        for key, own in space.spaces.items():
            yield from _leaves(own, (*way, key))
    elif isinstance(space, gym.spaces.Tuple):
        for place, own in enumerate(space.spaces):
            yield from _leaves(own, (*way, place))
    else:
        yield way, space


def _part(way: Way, space: gym.Space) -> Part:
    """A leaf that has a vector form, or a sentence."""
    name = ".".join(map(str, way)) or "the observation"
    others = "leave it out by --observe with the other keys, or give --observe module:function"
    if is_picture(space):
        raise DepoError(
            f"{name} is a picture ({space}) and states are vectors: {others}, which makes a vector "
            "of it"
        )
    if isinstance(space, Discrete | MultiDiscrete):
        most = int(space.n) if isinstance(space, Discrete) else int(np.max(space.nvec, initial=0))
        if most > MOST:
            raise DepoError(f"{name} has {most} values, a one-hot vector at most {MOST}: {others}")
        return Part(way, space)
    if isinstance(space, Box | MultiBinary):
        return Part(way, space)
    raise DepoError(
        f"{name} has the space {space}, and vectors are made of Box, Discrete, MultiDiscrete, "
        f"MultiBinary, Dict and Tuple: {others}, which makes a vector of it"
    )


def _is_below(way: Way, key: str) -> bool:
    path = ".".join(map(str, way))
    return path == key or path.startswith(f"{key}.")


def _offered(leaves: Sequence[tuple[Way, gym.Space]]) -> list[str]:
    """Every key that may be chosen, from the outside in."""
    ways = [way[: i + 1] for way, _ in leaves for i in range(len(way))]
    return list(dict.fromkeys(".".join(map(str, way)) for way in ways))


def _inside(observation: Any, way: Way) -> Any:
    for key in way:
        try:
            observation = observation[key]
        except (KeyError, IndexError, TypeError):
            path = ".".join(map(str, way))
            raise DepoError(
                f"an observation has no part '{path}', which its space has: return all of them"
            ) from None
    return observation


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name

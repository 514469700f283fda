"""What actions on vector states are: numbers in [−1,1], or choices as one-hot vectors side by side.

Replay, critics and policies hold every action as one vector of floats. A choice among n is n of its
numbers, a one and zeros; several choices (``MultiDiscrete``, ``MultiBinary``) follow one another.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ActionSpace:
    """Vectors of ``length`` numbers; ``choices`` says among how many each choice is, if they are
    choices.

    >>> both = ActionSpace.of_choices((2, 3))
    >>> both.length, both.combinations
    (5, 6)
    >>> both.one_hot(np.array([1, 2])).tolist()
    [0.0, 1.0, 0.0, 0.0, 1.0]
    >>> both.numbers(np.array([0.2, 0.8, 0.1, 0.0, 0.9])).tolist()
    [1, 2]
    """

    length: int
    choices: tuple[int, ...] = ()

    @classmethod
    def of_choices(cls, choices: tuple[int, ...]) -> ActionSpace:
        """Of choices among so many each."""
        return cls(sum(choices), choices)

    @property
    def combinations(self) -> int:
        """How many different actions there are, if they are choices."""
        return math.prod(self.choices)

    def every(self) -> np.ndarray:
        """All actions there are (combinations, length)."""
        return self.one_hot(np.array([*itertools.product(*map(range, self.choices))]))

    def one_hot(self, numbers: np.ndarray) -> np.ndarray:
        """Choices (…, choices) as vectors (…, length)."""
        return np.concatenate(
            [np.eye(n, dtype=np.float32)[numbers[..., i]] for i, n in enumerate(self.choices)], -1
        )

    def numbers(self, action: np.ndarray) -> np.ndarray:
        """Vectors (…, length) as choices (…, choices): of each the one with the largest number."""
        parts = np.split(action, np.cumsum(self.choices)[:-1], axis=-1)
        return np.stack([np.argmax(part, axis=-1) for part in parts], axis=-1)

    def random(self, generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Uniformly random actions (*shape, length)."""
        if not self.choices:
            return generator.uniform(-1.0, 1.0, (*shape, self.length))
        drawn = [generator.integers(n, size=shape) for n in self.choices]
        return self.one_hot(np.stack(drawn, axis=-1))

    def strayed(
        self, action: np.ndarray, noise: float, generator: np.random.Generator
    ) -> np.ndarray:
        """Actions with Gaussian noise of that deviation; of choices, so large a share at random."""
        if not self.choices:
            own = action + noise * generator.standard_normal(action.shape)
            return np.clip(own, -1.0, 1.0).astype(action.dtype)
        coin = generator.random(action.shape[:-1]) < noise
        return np.where(coin[..., None], self.random(generator, action.shape[:-1]), action)

"""``Discrete``, ``MultiDiscrete`` and ``MultiBinary`` actions as one-hot vectors."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete, Space

from depo.core.errors import DepoError
from depo.models.action_space import ActionSpace

CHOICES = Discrete | MultiDiscrete | MultiBinary
MOST_COMBINATIONS = 64
"""Learning sums over all actions; more of them would cost more than they are worth."""


class OneHotActions(Box):
    """The space of one-hot vectors that stand for the actions of another space."""

    def __init__(self, own: Discrete | MultiDiscrete | MultiBinary):
        self.own = own
        self.choices, self._first = choices_of(own), first_numbers(own)
        super().__init__(0.0, 1.0, (sum(self.choices),), np.float32)

    def native(self, action: np.ndarray) -> Any:
        """One-hot vectors (…, length) as the other space has actions; any other vector means the
        largest number of each choice."""
        numbers = ActionSpace.of_choices(self.choices).numbers(action) + self._first
        own = numbers.reshape((*action.shape[:-1], *(self.own.shape or ())))
        return own.astype(self.own.dtype)[()]

    def one_hot(self, actions: np.ndarray, environment: str) -> np.ndarray:
        """Recorded actions (rows, choices) of the other space as one-hot vectors; refused where
        they are none."""
        numbers = actions - self._first
        fits = numbers.shape[1] == len(self.choices) and (
            (numbers == np.floor(numbers)) & (numbers >= 0) & (numbers < np.array(self.choices))
        )
        if not np.all(fits):
            raise DepoError(
                f"recorded actions are not among those of {environment}, {self.own}: pass --demos "
                "recorded there"
            )
        return ActionSpace.of_choices(self.choices).one_hot(numbers.astype(int))


class FromOneHot(gym.ActionWrapper):
    """An environment of choices that takes one-hot vectors."""

    def __init__(self, env: gym.Env):
        super().__init__(env)
        assert isinstance(env.action_space, CHOICES)
        self._one_hot = self.action_space = OneHotActions(env.action_space)

    def action(self, action: np.ndarray) -> Any:
        """As the environment wants it."""
        return self._one_hot.native(np.asarray(action))


def choices_of(space: Space) -> tuple[int, ...]:
    """Among how many each choice is; none where actions are no choices.

    >>> choices_of(Discrete(3)), choices_of(MultiBinary(2)), choices_of(Box(-1, 1, (2,)))
    ((3,), (2, 2), ())
    """
    if isinstance(space, Discrete):
        return (int(space.n),)
    if isinstance(space, MultiDiscrete):
        return tuple(int(n) for n in space.nvec.ravel())
    return (2,) * int(np.prod(space.shape)) if isinstance(space, MultiBinary) else ()


def first_numbers(space: Space) -> np.ndarray:
    """The number that the first alternative of each choice has, of the space's own dtype."""
    start = getattr(space, "start", None)
    if start is None:
        start = np.zeros(len(choices_of(space)))
    return np.asarray(start, space.dtype).ravel()

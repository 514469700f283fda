"""A family of environments as another package would add it: a corridor, finite and known."""

from __future__ import annotations

from dataclasses import dataclass, replace

import gymnasium as gym
import jax.numpy as jnp
import numpy as np

from depo.data.demonstrations import Demonstrations
from depo.environments.family import EnvironmentFamily, EnvironmentSettings
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.tabular import TabularEnvironment

ID = "depo-test/Corridor-v0"


@dataclass(frozen=True)
class CorridorSettings:
    """A corridor."""

    length: int = 4
    """Cells, the last of which is the goal."""
    reversed: bool = False
    """Whether action 0 goes on and action 1 back."""


class Corridor(gym.Env):
    """From cell 0; action 1 goes on, action 0 back."""

    def __init__(self, length: int = 4, reversed: bool = False, render_mode: str | None = None):
        self.render_mode = render_mode
        self.observation_space = gym.spaces.Discrete(length)
        self.action_space = gym.spaces.Discrete(2)
        self._successor = successors(length, reversed)
        self._cell = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._cell = 0
        return np.int64(0), {}

    def step(self, action):
        self._cell = int(self._successor[self._cell, int(action)])
        arrived = self._cell == len(self._successor) - 1
        return np.int64(self._cell), float(arrived), arrived, False, {}


def successors(length: int, reversed: bool) -> np.ndarray:
    """Where each action leads."""
    cells = np.arange(length)
    moves = np.stack([np.maximum(cells - 1, 0), np.minimum(cells + 1, length - 1)], axis=1)
    return moves[:, ::-1] if reversed else moves


class CorridorFamily(EnvironmentFamily):
    """Corridors; variants are 'forward' and 'backward'."""

    name = "corridor"
    names = ("corridor",)
    settings = CorridorSettings

    def open_gymnasium(self, environment: EnvironmentSettings) -> GymnasiumEnvironment:
        own = environment.settings
        return GymnasiumEnvironment(ID, {"length": own.length, "reversed": own.reversed})

    def open_table(self, environment: EnvironmentSettings) -> TabularEnvironment:
        own = environment.settings
        table = successors(own.length, own.reversed)
        goal = own.length - 1
        return TabularEnvironment(
            successor=jnp.asarray(table, jnp.int32),
            reward=jnp.asarray(table == goal, jnp.float32),
            terminal=jnp.arange(own.length) == goal,
            start=jnp.eye(own.length)[0],
            horizon=20,
        )

    def demonstrations(self, environment: EnvironmentSettings) -> Demonstrations:
        return Demonstrations.from_episodes([np.arange(environment.settings.length)] * 5)

    def variant(self, environment: EnvironmentSettings, name: str) -> EnvironmentSettings:
        settings = replace(environment.settings, reversed=name == "backward")
        return replace(environment, settings=settings)


if ID not in gym.registry:
    gym.register(ID, entry_point="tests.support.corridor:Corridor", max_episode_steps=20)

"""Imagined walks on a grid world: cells planned one after the other."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from depo.analysis.imagination import Imagination, Imaginer, Source
from depo.environments.grid.gridworld import GridWorld
from depo.models.policy import DecoupledPolicy


class ImaginedWalks(Imagination):
    """Numbers of cells."""

    @property
    def world(self) -> GridWorld:
        """The map."""
        return GridWorld(self.source.environment.settings)

    @property
    def unit(self) -> str:
        """What errors are measured in."""
        return "cells apart"

    @property
    def is_logarithmic(self) -> bool:
        """Cells are few."""
        return False

    def _distance(self, states: np.ndarray) -> np.ndarray:
        size = self.source.environment.settings.size
        apart = np.abs(np.stack(divmod(states, size)) - np.stack(divmod(self.real, size)))
        return apart.sum(axis=0).astype(float)


class WalkImaginer(Imaginer):
    """The policy walks by the map's own table."""

    imagination = ImaginedWalks

    def check(self, source: Source) -> None:
        """A grid's states are finite."""

    def play(
        self, source: Source, policy: DecoupledPolicy, steps: int, starts: int
    ) -> list[np.ndarray]:
        """The greedy policy from starts that are evenly spread."""
        world = GridWorld(source.environment.settings)
        return [_walk(world, policy, start, steps) for start in _spread_starts(world, starts)]

    def first_states(self, source: Source, starts: int) -> list[np.ndarray]:
        """Starts that are evenly spread."""
        world = GridWorld(source.environment.settings)
        return [np.array([start]) for start in _spread_starts(world, starts)]


def _spread_starts(world: GridWorld, count: int) -> list[int]:
    """At most n of the starts of a grid, evenly spread."""
    picked = np.linspace(0, len(world.starts) - 1, min(count, len(world.starts)))
    return [int(world.starts[round(i)]) for i in picked]


def _walk(world: GridWorld, policy: DecoupledPolicy, start: int, steps: int) -> np.ndarray:
    path = [start]
    while path[-1] != world.goal and len(path) <= steps:
        action = int(policy.mode(jnp.array(path[-1])).action)
        path.append(int(world.successor[path[-1], action]))
    return np.array(path)

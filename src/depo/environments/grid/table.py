"""The grid world as tables, stepped by JAX thousands of copies at once."""

from __future__ import annotations

import jax.numpy as jnp

from depo.environments.grid.gridworld import GridWorld
from depo.environments.tabular import TabularEnvironment


def tabular_gridworld(world: GridWorld) -> TabularEnvironment:
    """The grid world as tables: reward 1 on reaching the goal, which ends the episode."""
    return TabularEnvironment(
        successor=jnp.asarray(world.successor),
        reward=jnp.asarray(world.successor == world.goal, jnp.float32),
        terminal=jnp.arange(world.states) == world.goal,
        start=jnp.asarray(world.start_distribution, jnp.float32),
        horizon=world.horizon,
    )

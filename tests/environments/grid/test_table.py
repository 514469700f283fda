from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import depo  # noqa: F401  (registers the environment)
from depo.core.errors import DepoError
from depo.environments.grid.gridworld import GridWorld, GridWorldSettings
from depo.environments.grid.table import tabular_gridworld
from depo.environments.tabular import Position, TabularEnvironment

RESET = eqx.filter_jit(TabularEnvironment.reset)
STEP = eqx.filter_jit(TabularEnvironment.step)


@st.composite
def worlds(draw: st.DrawFn) -> GridWorld:
    size = draw(st.sampled_from((2, 3, 7)))  # of each a program is compiled
    cells = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1))
    walls = {c for c in draw(st.lists(cells, max_size=5)) if c not in ((0, 0), (size - 1,) * 2)}
    try:
        return GridWorld(
            GridWorldSettings(
                size=size,
                k=draw(st.sampled_from((1, 2, 4))),
                walls=tuple(f"{x},{y}" for x, y in walls),
            )
        )
    except DepoError:  # walled in
        return GridWorld(GridWorldSettings(size=size))


@given(worlds(), st.integers(0, 2**31 - 1))
def test_stepping_in_jax_follows_the_tables_and_never_crosses_a_reset(world, seed: int) -> None:
    environment = tabular_gridworld(world)
    key = jax.random.key(seed)
    generator = np.random.default_rng(seed)
    position = RESET(environment, key, 16)
    assert set(np.asarray(position.state)) <= set(world.starts)
    for t in range(5):
        action = generator.integers(world.actions, size=16)
        after = STEP(environment, position, jnp.asarray(action), jax.random.fold_in(key, t))
        reached = world.successor[np.asarray(position.state), action]
        np.testing.assert_array_equal(after.next_state, reached)
        np.testing.assert_array_equal(after.terminated, reached == world.goal)
        np.testing.assert_array_equal(after.reward, reached == world.goal)
        ended = np.asarray(after.terminated | after.truncated)
        np.testing.assert_array_equal(np.asarray(after.position.state)[~ended], reached[~ended])
        assert set(np.asarray(after.position.state)[ended]) <= set(world.starts)
        assert (np.asarray(after.position.elapsed)[ended] == 0).all()
        position = after.position


def test_an_episode_is_cut_at_the_horizon() -> None:
    world = GridWorld(GridWorldSettings(horizon=3))
    environment = tabular_gridworld(world)
    position = Position(jnp.zeros(1, jnp.int32), jnp.zeros(1, jnp.int32))
    down = jnp.ones(1, jnp.int32)
    cuts = []
    for _ in range(3):
        after = STEP(environment, position, down, jax.random.key(0))
        position = after.position
        cuts.append(bool(after.truncated[0]))
    assert cuts == [False, False, True]


def test_starts_follow_the_distribution() -> None:
    world = GridWorld(GridWorldSettings())
    drawn = tabular_gridworld(world).reset(jax.random.key(0), 200_000).state
    share = np.bincount(np.asarray(drawn), minlength=36) / 200_000
    np.testing.assert_allclose(share, world.start_distribution, atol=0.003)

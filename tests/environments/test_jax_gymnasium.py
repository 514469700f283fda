"""JAX environments as Gymnasium environments."""

from __future__ import annotations

import copy

import gymnasium as gym
import jax.numpy as jnp
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from depo.environments.given import environment_of
from depo.environments.jax_gymnasium import JaxEnv, JaxVectorEnv
from tests.support.pure import Plain, Point


def test_one_copy_is_a_gymnasium_environment_in_its_own_units() -> None:
    env = JaxEnv(Point())
    assert env.action_space.high.tolist() == [2.0, 2.0]
    check_env(env, skip_render_check=True)
    assert copy.deepcopy(env).jax_environment is env.jax_environment  # compiled once


@pytest.mark.parametrize("wind", [0.0, 0.1])
def test_a_seed_determines_an_episode(wind: float) -> None:
    env = JaxEnv(Point(wind))

    def episode() -> np.ndarray:
        states = [env.reset(seed=3)[0]]
        for _ in range(5):
            states.append(env.step(np.array([0.2, 0.0], np.float32))[0])
        return np.stack(states)

    first = episode()
    np.testing.assert_array_equal(first, episode())
    assert np.allclose(np.diff(first, axis=0), [0.01, 0.0], atol=1e-6) == (wind == 0.0)


def test_many_copies_move_as_one_does_and_keep_their_last_states() -> None:
    many, one = JaxVectorEnv(JaxEnv(Point()).jax_environment, 3), JaxEnv(Point())
    states, _ = many.reset(seed=[5, 6, 7])
    state, _ = one.reset(seed=6)
    np.testing.assert_array_equal(states[1], state)
    for _ in range(12):
        states, _, _, cut, info = many.step(np.tile(np.float32([0.1, 0.2]), (3, 1)))
        state, _, _, own_cut, _ = one.step(np.float32([0.2, 0.4]))
        reached = info["final_obs"][1] if cut[1] else states[1]
        np.testing.assert_allclose(reached, state, atol=1e-6)
        assert cut[1] == own_cut
    assert cut[1]
    assert not np.allclose(states[1], state)


def test_functions_are_found_unless_something_is_around_them() -> None:
    given = environment_of(Point()).gymnasium()
    assert given.vector_sizes() == (2, 2, ())
    assert given.compiled() is not None
    assert isinstance(given.make_vector(2), JaxVectorEnv)
    assert environment_of(Plain(jnp.zeros(2))).gymnasium().compiled() is not None
    assert environment_of(lambda: Point()).gymnasium().compiled() is not None
    assert environment_of(Point(), dynamics="inverted").gymnasium().compiled() is None
    clipped = gym.wrappers.ClipReward(JaxEnv(Point()), -1.0, 1.0)
    assert environment_of(clipped).gymnasium().compiled() is None
    shorter = environment_of(gym.wrappers.TimeLimit(JaxEnv(Point()), 4)).gymnasium()
    short = shorter.make_vector(2)
    assert isinstance(short, JaxVectorEnv)
    short.reset(seed=0)
    cuts = [short.step(np.zeros((2, 2)))[3].all() for _ in range(4)]
    assert cuts == [False, False, False, True]
    assert shorter.id.endswith("/JaxEnv")


def test_observations_of_several_parts_are_one_vector_with_names() -> None:
    class Aimed:
        """Shows a place and a goal."""

        action_size = 2

        def reset(self, key):
            place = jnp.zeros(2)
            return {"place": place, "desired_goal": jnp.ones(2)}, place

        def step(self, key, state, action):
            place = state + action
            return {"place": place, "desired_goal": jnp.ones(2)}, place, 0.0, False, {}

    environment = environment_of(Aimed()).gymnasium()
    assert environment.compiled() is not None
    assert environment.vector_sizes()[:2] == (4, 2)
    assert environment.goal_features() == (0, 1)
    assert environment.first_state().tolist() == [1.0, 1.0, 0.0, 0.0]

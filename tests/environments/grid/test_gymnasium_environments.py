from __future__ import annotations

import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import depo  # noqa: F401  (registers the environment)
from depo.core.errors import DepoError


def test_gymnasiums_checker_passes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*not the same as .*unwrapped.*")
        warnings.filterwarnings("ignore", message=".*spec.*")
        check_env(gym.make("depo/GridWorld-v0", k=2).unwrapped, skip_render_check=True)


def test_the_faces_agree_with_the_tables() -> None:
    one = gym.make("depo/GridWorld-v0", k=3).unwrapped
    state, _ = one.reset(seed=1)
    for action in [0, 4, 11, 9, 2]:
        expected = one.world.successor[state, action]
        state, reward, terminated, _, _ = one.step(action)
        assert state == expected
        assert reward == terminated == (expected == one.world.goal)


def test_a_state_that_is_none_is_refused() -> None:
    env = gym.make("depo/GridWorld-v0", size=3).unwrapped
    with pytest.raises(DepoError, match="state 99 is none of the 9"):
        env.reset(options={"state": 99})


def test_rendering_shows_agent_goal_and_walls() -> None:
    env = gym.make("depo/GridWorld-v0", size=3, walls=("1,1",), render_mode="ansi").unwrapped
    env.reset(options={"state": 0})
    assert env.render() == ". . G\n. # .\nA . .\n"


def test_the_vector_environment_keeps_the_last_state_of_an_episode() -> None:
    envs = gym.make_vec("depo/GridWorld-v0", num_envs=64, horizon=4)
    state, _ = envs.reset(seed=0)
    generator = np.random.default_rng(0)
    seen_end = False
    for _ in range(12):
        action = generator.integers(4, size=64)
        expected = envs.world.successor[state, action]
        after, reward, terminated, truncated, info = envs.step(action)
        ended = terminated | truncated
        np.testing.assert_array_equal(after[~ended], expected[~ended])
        np.testing.assert_array_equal(reward == 1, terminated)
        if ended.any():
            seen_end = True
            np.testing.assert_array_equal(info["final_obs"][ended].astype(int), expected[ended])
        state = after
    assert seen_end

from __future__ import annotations

import random

import gymnasium as gym
import numpy as np
import pytest

from depo.analysis.recordings.exploration import COPIES, FEWEST, RESETS, explore
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from tests.support.cart import ID, LIMIT, STEP, explored, moved


def test_it_is_the_same_every_time_and_leaves_global_streams_alone() -> None:
    np.random.seed(3)  # noqa: NPY002
    random.seed(3)
    before = np.random.get_state()[1].copy(), random.getstate()  # noqa: NPY002
    again = explore(GymnasiumEnvironment(ID))
    np.testing.assert_array_equal(np.random.get_state()[1], before[0])  # noqa: NPY002
    assert random.getstate() == before[1]
    for name in ("states", "reached", "starts"):
        np.testing.assert_array_equal(getattr(again.moves, name), getattr(explored().moves, name))


def test_steps_are_those_of_the_environment_and_never_cross_a_reset() -> None:
    moves = explored().moves
    pairs = zip(moves.states, explored().actions, moves.reached, strict=True)
    for state, action, reached in pairs:
        np.testing.assert_allclose(moved(state, action), reached, atol=1e-4)
    assert len(moves.starts) >= RESETS
    assert np.abs(moves.starts - [0, 5, 0, 0]).max() <= 0.1001


def test_the_environment_says_its_limit_and_the_length_of_a_step() -> None:
    assert (explored().limit, explored().seconds) == (LIMIT, STEP)
    assert explored().low.tolist() == [-50.0] * 4


def test_finite_states_and_actions_are_explored_too() -> None:
    found = explore(GymnasiumEnvironment("FrozenLake-v1"), steps=40)
    assert found.moves.states.shape == (40,)
    assert found.low.size == 0


class Switches(gym.Env):
    """Two lamps and a dial, as the smallest numbers there are."""

    def __init__(self, dtype: str = "bool", low: int = 0, high: int = 1):
        self.observation_space = gym.spaces.Box(low, high, (2,), np.dtype(dtype).type)
        self.action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.observation_space.seed(seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 0.0, False, False, {}


@pytest.mark.parametrize(("dtype", "low", "high"), [("bool", 0, 1), ("int8", -128, 127)])
def test_small_numbers_have_bounds_to_calculate_with(dtype: str, low: int, high: int) -> None:
    arguments = {"dtype": dtype, "low": low, "high": high}
    found = explore(GymnasiumEnvironment(f"{__name__}:Switches", arguments), steps=40)
    assert (found.high - found.low).tolist() == [high - low] * 2


def test_what_takes_too_long_is_explored_a_little() -> None:
    found = explore(GymnasiumEnvironment(ID), longest=0.0)
    assert len(found.moves.states) == FEWEST * COPIES
    assert len(found.moves.starts) >= COPIES

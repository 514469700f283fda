"""What is presented otherwise than somebody's environment has it."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box

from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.wrappers import with_clipped_bounds
from tests.environments.point import STEP, Point


class RewardOfArrays(Point):
    def step(self, action):
        state, reward, *rest = super().step(action)
        return state, np.array([reward]), *rest


def clipped():
    """As other libraries want it: what is beyond the bounds of −3 to 5 is cut off, and space says
    no bounds."""
    return gym.wrappers.TimeLimit(gym.wrappers.ClipAction(Point(actions="wide")), 40)


def test_a_reward_that_is_an_array_of_one_number_is_that_number() -> None:
    environment = GymnasiumEnvironment(f"{__name__}:RewardOfArrays")
    envs = environment.vector(2)
    seen = envs.reset([1, 2])
    _, _, reward, _, _ = envs.step(np.zeros((2, 2), np.float32))
    envs.close()
    np.testing.assert_allclose(reward, -np.abs(seen[:, 1]), rtol=1e-6)


class OneArray(gym.Env):
    """Changes the array that it has returned, as many simulators do, and restarts far away."""

    observation_space, action_space = Box(-99, 99, (1,), np.float32), Box(-1, 1, (1,), np.float32)

    def __init__(self):
        self.state = np.zeros(1, np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state[:] = 50
        return self.state, {}

    def step(self, action):
        self.state += 1
        return self.state, 0.0, bool(self.state[0] >= 53), False, {}


def test_an_array_that_the_environment_changes_later_is_copied_before_it_restarts() -> None:
    envs = GymnasiumEnvironment(f"{__name__}:OneArray").vector(2)
    before, after = [envs.reset([1, 2])], []
    for _ in range(4):
        state, reached, *_ = envs.step(np.zeros((2, 1), np.float32))
        after.append(reached)
        before.append(state)
    envs.close()
    assert np.array(before)[:, 0, 0].tolist() == [50, 51, 52, 50, 51]
    assert np.array(after)[:, 0, 0].tolist() == [51, 52, 53, 51]


def test_actions_that_are_cut_off_inside_have_those_bounds() -> None:
    environment = GymnasiumEnvironment(f"{__name__}:clipped")
    assert environment.vector_sizes().actions == 2
    assert environment.own_spaces()[1] == Box(-3, 5, (2,), np.float32)
    env = environment.make()
    before, _ = env.reset(seed=1)
    after, *_ = env.step(np.array([-1.0, 1.0], np.float32))
    np.testing.assert_allclose(after - before, STEP * np.array([-3.0, 5.0]), atol=1e-6)


def test_bounds_are_not_looked_for_behind_what_changes_actions() -> None:
    unbounded = Box(-np.inf, np.inf, (2,), np.float32)
    halved = gym.wrappers.TransformAction(clipped(), lambda action: action / 2, unbounded)
    assert with_clipped_bounds(halved) is halved
    plain = Point(actions="unbounded")
    assert with_clipped_bounds(plain) is plain

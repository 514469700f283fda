"""Choices as one-hot vectors, and back in the environment's own numbers."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from depo.environments.gymnasium_environment import GymnasiumEnvironment
from tests.environments.point import ID, STEP
from tests.support import line


@pytest.mark.parametrize(
    ("actions", "choices", "one_hot", "own"),
    [
        ("several", (3, 3), [0, 0, 1, 1, 0, 0], [1, -1]),
        ("square choices", (2, 3), [0, 1, 0, 0, 1], [[1, 2]]),
        ("binary", (2, 2), [0, 1, 1, 0], [1, 0]),
    ],
)
def test_each_choice_is_one_hot(actions: str, choices, one_hot, own) -> None:
    host = GymnasiumEnvironment(ID, {"actions": actions})
    vector = np.array(one_hot, np.float32)
    assert host.vector_sizes() == (2, sum(choices), choices)
    np.testing.assert_array_equal(host.native_actions(vector[None]), [np.ravel(own)])
    env = host.make()
    assert env.action_space.contains(vector)
    before, _ = env.reset(seed=1)
    after, *_ = env.step(vector)
    np.testing.assert_allclose(after - before, STEP * np.ravel(own), atol=1e-6)


@pytest.mark.parametrize("dynamics", ["", "permuted", "permuted=1-2-0"])
def test_a_number_is_the_environments_own(dynamics: str) -> None:
    host = GymnasiumEnvironment(line.ID, {"first": 5}, dynamics=dynamics)
    meant = {"": [0, 1, 2], "permuted": [2, 1, 0], "permuted=1-2-0": [1, 2, 0]}[dynamics]
    assert host.own_spaces()[1] == gym.spaces.Discrete(3, start=5)
    np.testing.assert_array_equal(host.native_actions(np.eye(3)), [5, 6, 7])
    envs = host.vector(3)
    before = envs.reset([0, 1, 2])
    after = envs.step(np.eye(3, dtype=np.float32))[0]
    np.testing.assert_allclose((after - before)[:, 0] / STEP + 1, meant, atol=1e-5)
    envs.close()

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from depo.environments.batched import FirstOfBatch, Rows
from depo.environments.given import environment_of
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from tests.environments.point import ID, STEP, Point, batch
from tests.support.reach import Reach

MODES = [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP]


@pytest.mark.parametrize("mode", MODES)
def test_no_transition_of_a_batch_crosses_a_reset(mode: AutoresetMode) -> None:
    envs = environment_of(batch(mode=mode)).gymnasium().vector(4)
    own = isinstance(envs._envs.unwrapped, Rows)
    assert own == (mode == AutoresetMode.SAME_STEP)
    state, generator, ends = envs.reset([1, 2, 3, 4]), np.random.default_rng(0), 0
    for _ in range(12):
        action = generator.uniform(-1, 1, (4, 2)).astype(np.float32)
        after, reached, _, terminated, truncated = envs.step(action)
        np.testing.assert_allclose(reached, state + STEP * action, atol=1e-6)
        ended = terminated | truncated
        assert (np.abs(after[ended]) <= 1).all()
        ends += ended.sum()
        state = after
    assert ends == 8
    envs.close()


def test_copies_begin_as_their_seeds_say_in_whatever_batch_they_are() -> None:
    few = GymnasiumEnvironment(ID).vector(5).reset([3, 1, 4, 1, 5])
    rows = environment_of(lambda: batch(2)).gymnasium().vector(5).reset([3, 1, 4, 1, 5])
    np.testing.assert_array_equal(few, rows)


@pytest.mark.parametrize("mode", MODES)
def test_the_first_of_a_batch_is_an_environment(mode: AutoresetMode) -> None:
    one, alone = FirstOfBatch(batch(2, mode)), gym.wrappers.TimeLimit(Point(), 5)
    for seed in (1, 2):
        np.testing.assert_array_equal(one.reset(seed=seed)[0], alone.reset(seed=seed)[0])
        for number in range(5):
            action = np.full(2, 0.1 * number, np.float32)
            (own, *end), (other, *known) = one.step(action)[:4], alone.step(action)[:4]
            np.testing.assert_array_equal(own, other)
            assert end == known
    one.close()


def test_a_batch_of_dicts_is_flattened_and_reports() -> None:
    environment = environment_of(SyncVectorEnv([Reach, Reach])).gymnasium()
    assert environment.vector_sizes()[:2] == (6, 2)
    assert environment.goal_features() == (2, 3)
    envs = environment.vector(1)
    envs.reset([0])
    envs.step(np.zeros((1, 2)))
    assert envs.succeeded.tolist() == [0.0]
    envs.close()

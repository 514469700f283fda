from __future__ import annotations

import random

import numpy as np

from depo.analysis.recordings.exploration import RESETS, explore
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

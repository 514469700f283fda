"""Driving as two pure functions: the same steps as the simulator's own, to the last bit."""

from __future__ import annotations

import jax
import numpy as np

from depo.driving.environment import DrivingEnvironment
from depo.driving.gymnasium_environments import reset as reset_many
from depo.driving.gymnasium_environments import step as step_many
from depo.driving.jax_environment import OneEgo
from depo.environments.jax_environment import JaxEnvironment, begin, step
from tests.support.driving import keys


def test_copies_of_one_ego_are_the_simulators_egos(environment: DrivingEnvironment) -> None:
    one = OneEgo(environment)
    assert isinstance(one, JaxEnvironment)
    copies = begin(one, keys(6))
    egos, seen = reset_many(environment, keys(6))
    np.testing.assert_array_equal(copies.seen, seen)
    move = jax.jit(lambda copies, action: step(one, copies, action, jax.random.key(0)))
    actions = np.random.default_rng(0).uniform(-1, 1, (150, 6, 2)).astype(np.float32)
    assert actions.shape[2] == one.actions
    ends = 0
    for action in actions:
        copies, moved = move(copies, action)
        done = step_many(environment, egos, action)
        egos = done.ego
        ends += int((moved.terminated | moved.truncated).sum())
        for ours, theirs in (
            (moved.reached, done.reached),
            (copies.seen, done.state),
            (moved.reward, done.reward),
            (moved.terminated, done.terminated),
            (moved.truncated, done.truncated),
            (moved.information["collided"], done.outcome.collided),
        ):
            np.testing.assert_array_equal(ours, theirs)
    assert ends  # the next episodes are the same too

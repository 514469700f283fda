"""Where the answers are known: s' = s + a/10; reward is best on the line y = 0, the expert walks
right."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depo.methods.optimisation import Trained
from depo.methods.registry import OFF_POLICY, find_method
from depo.methods.settings_tree import settings_from
from depo.models.planner import GaussianPlanner
from depo.models.scalar import Scalar
from tests.environments.point import STEP
from tests.support.learning import RIGHT, expert, learned, moved, places, steps


def test_units_of_a_reward_move_the_value_of_living_and_that_of_an_end_alike() -> None:
    own = find_method("qss").implementation(OFF_POLICY)
    method = own.build(settings_from(own.settings, {"reward_scale": 0.2, "gamma": 0.9}))
    usual = {"centre": 2.0, "size": 9.0}
    agent = {name: Trained(Scalar(jnp.array(value)), None) for name, value in usual.items()}
    batch, key = steps(jax.random.key(0)), jax.random.key(1)
    agent, reward, _ = method.update_reward(agent, batch, expert(), key)
    end = method.end_value(agent, batch, reward, expert(), key)
    for_ever = batch.reward / (1 - 0.9)  # in the environment's units, where an end is worth nothing
    np.testing.assert_allclose(reward / (1 - 0.9) - end, 0.2 / 3 * for_ever, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("copies", [1, 2])
def test_the_planner_goes_to_the_line_also_where_motors_are_redundant(copies: int) -> None:
    method, agent, _ = learned("qss", updates=1_200, copies=copies, reward_scale=10.0)
    planner: GaussianPlanner = agent["planner"].model
    state = places()
    far = np.abs(state[:, 1]) > 0.3
    planned = np.asarray(planner.mode(state) - state)[far]
    towards = -np.sign(state[far, 1])
    assert (planned[:, 1] * towards > 0.3 * STEP).all()
    assert (np.abs(planned) < 1.5 * STEP).all()  # no further than an action reaches
    gone = np.asarray(moved(method.policy(agent).mode(state).action))[far]
    assert (gone[:, 1] * towards > 0.3 * STEP).mean() > 0.9


@pytest.mark.slow
def test_with_a_discriminators_reward_it_goes_where_the_expert_goes() -> None:
    method, agent, _ = learned(
        "qss-gaifo", updates=1_200, gradient_penalty=0.1, discriminator_rate=3e-3
    )
    state = places()
    planned = np.asarray(agent["planner"].model.mode(state) - state)
    np.testing.assert_allclose(planned.mean(axis=0), RIGHT, atol=0.25 * STEP)
    gone = moved(method.policy(agent).mode(state).action)
    np.testing.assert_allclose(gone.mean(axis=0), RIGHT, atol=0.25 * STEP)

"""The gradient of decisions through a controller that has none."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depo.losses import decision_gradient
from depo.models.critic import TwinCritic
from depo.models.normaliser import Normaliser
from depo.models.skill import AnalyticSkill
from tests.environments.point import walking

KEY = jax.random.key(0)


def sign(state, target):
    """A switch: the slope is zero everywhere."""
    return jnp.sign(target - state)


@pytest.mark.parametrize("slope", [3.0, 0.003])
def test_decisions_learn_though_the_controller_is_a_switch(slope: float) -> None:
    critic = TwinCritic(KEY, Normaliser.none(2), 2, (), False)
    weights = jnp.array([[0.0], [0.0], [slope], [0.0]])  # Q is so many times the first number
    for i in (0, 1):
        critic = eqx.tree_at(lambda c, i=i: c.networks[i].weights[0], critic, weights)
    planner, state = walking((0.0, 0.0)), jnp.zeros((256, 2))

    def loss(planner):
        return decision_gradient.loss(planner, AnalyticSkill(sign), critic, state, 8, KEY)[0]

    pull = eqx.filter_grad(loss)(planner).network.biases[0]
    # in slopes: E[sign(d)·d] = √(2/π) for d ~ N(0,1); less its baseline Q deviates by √(7/8)
    np.testing.assert_allclose(pull[:2], [-((2 / np.pi / (7 / 8)) ** 0.5), 0.0], atol=0.06)

"""The cycle where I and f are known: it leads to where an action can, and no further."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from depo.losses import dynamics_gradient
from depo.models.critic import TwinCritic
from depo.models.forward import Forward
from depo.models.mlp import MLP
from depo.models.skill import AnalyticSkill
from tests.environments.point import STEP, walking

SCALE = 0.5


def bounded(state, target):
    """The exact skill, within what a motor can do."""
    return jnp.clip((target - state) / STEP, -1.0, 1.0)


def exact() -> Forward:
    """The exact forward model, of standardised states."""
    weights = jnp.concatenate([jnp.zeros((2, 2)), STEP / SCALE * jnp.eye(2)])
    network = MLP(jax.random.key(0), 4, (), 2)
    network = eqx.tree_at(lambda n: (n.weights[0], n.biases[0]), network, (weights, jnp.zeros(2)))
    return Forward(network, jnp.ones(2))


def test_a_proposal_out_of_reach_is_valued_as_what_it_leads_to() -> None:
    planner = walking((3 * STEP, STEP / 2), SCALE)
    critic = TwinCritic(jax.random.key(0), planner.normaliser, 2, (8,), False)
    state = jnp.zeros((4, 2))
    skill = AnalyticSkill(bounded)
    proposed, reached = dynamics_gradient.cycle(planner, skill, exact(), state)
    np.testing.assert_allclose(proposed[0], np.array([3 * STEP, STEP / 2]) / SCALE, rtol=1e-5)
    np.testing.assert_allclose(reached[0], np.array([STEP, STEP / 2]) / SCALE, rtol=1e-5)
    value, missed = dynamics_gradient.loss(planner, skill, exact(), critic, state)
    np.testing.assert_allclose(value, critic(state, reached)[0], rtol=1e-5)
    np.testing.assert_allclose(missed, (2 * STEP / SCALE) ** 2 / 2, rtol=1e-4)

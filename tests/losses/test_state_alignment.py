"""Two clouds of points a known way apart."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from depo.losses import gradient_penalty, state_alignment
from depo.models.discriminator import StatePotential
from depo.models.normaliser import Normaliser
from tests.support.descent import minimise


def test_the_potential_finds_the_distance_and_rewards_what_is_near() -> None:
    key = jax.random.key(0)
    agent = jax.random.normal(key, (64, 2))
    expert = agent + jnp.array([0.6, 0.8])
    weight = 10.0

    def loss(potential: StatePotential):
        apart = state_alignment.loss(potential, expert, agent)
        return apart + weight * gradient_penalty.loss(potential, expert, agent, key)

    potential = minimise(StatePotential(key, Normaliser.none(2), (16,)), loss, steps=500)
    apart = -float(state_alignment.loss(potential, expert, agent))
    assert abs(apart - 1.0) < 0.15  # √(0.6² + 0.8²)
    reward = np.asarray(state_alignment.reward(potential, expert, jnp.concatenate([agent, expert])))
    np.testing.assert_allclose(reward[:64].mean(), -apart, atol=1e-3)
    np.testing.assert_allclose(reward[64:].mean(), 0.0, atol=1e-3)

"""What the discriminator settles on is known: f = log π + log of the ratio of densities."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from depo.losses import adversarial_inverse_reward
from depo.models.normaliser import Normaliser
from depo.models.reward import StateReward
from tests.support.descent import minimise

KEY = jax.random.key(0)


def rows(state: list[float], log_prob: float) -> adversarial_inverse_reward.Rows:
    states = jnp.asarray(state, jnp.float32)[:, None]
    return states, states, jnp.full(len(state), log_prob)


def test_the_shaped_reward_settles_on_the_experts_share() -> None:
    """Both stay where they are, the expert three times as often at 1 as at −1, the agent as often
    at either, so that f = log π + log(ρ_E/ρ_A)."""
    expert, agent = rows([1.0, 1.0, 1.0, -1.0], -0.5), rows([1.0, -1.0, 1.0, -1.0], -0.5)
    reward = minimise(
        StateReward(KEY, Normaliser.none(1), (8,), gamma=0.9),
        lambda model: adversarial_inverse_reward.loss(model, expert, agent)[0],
    )
    found = reward.shaped(*agent[:2])
    np.testing.assert_allclose(found, -0.5 + np.log([1.5, 0.5, 1.5, 0.5]), atol=0.05)


def test_a_potential_changes_no_sum_around_a_circle() -> None:
    """Σ γᵗ f over a path is Σ γᵗ g and what the potential has at its ends."""
    reward = StateReward(KEY, Normaliser.none(2), (8,), gamma=0.5)
    path = jax.random.normal(KEY, (4, 2))
    discounts = 0.5 ** jnp.arange(3)
    difference = reward.shaped(path[:-1], path[1:]) - reward(path[:-1])
    ends = reward.potential(path[jnp.array([0, 3])])[:, 0]
    np.testing.assert_allclose(
        jnp.sum(discounts * difference), 0.5**3 * ends[1] - ends[0], rtol=1e-4, atol=1e-5
    )

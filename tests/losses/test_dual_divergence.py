"""At the minimum of the dual the slope of f* is the ratio of occupancies, exactly."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depo.losses import dual_divergence
from depo.models.critic import TwinCritic
from depo.models.normaliser import Normaliser
from depo.theory.finite_mdp import FiniteMDP
from depo.theory.occupancy import state_action_occupancy
from tests.support.probabilities import simplex


def test_the_dual_finds_the_ratio_of_densities() -> None:
    """Of a quadratic in Q, which one linear solve minimises: ½E_R[(r + γPQ − Q)²] + (1−γ)E[Q₀]."""
    generator = np.random.default_rng(0)
    mdp = FiniteMDP(simplex(generator, 3, 2, 3), simplex(generator, 3), gamma=0.8)
    policy, other = simplex(generator, 3, 2), simplex(generator, 3, 2)
    own, replay = (
        state_action_occupancy(mdp, each).ravel() * (1 - mdp.gamma) for each in (policy, other)
    )
    reward = generator.normal(size=6)
    onwards = np.einsum("sap,pb->sapb", mdp.transitions, policy).reshape(6, 6)
    operator = mdp.gamma * onwards - np.eye(6)
    start = (1 - mdp.gamma) * (mdp.start[:, None] * policy).ravel()
    slope = operator.T @ np.diag(replay)
    values = np.linalg.solve(slope @ operator, -start - slope @ reward)
    difference = jnp.asarray(reward + operator @ values, jnp.float32)
    ratio = dual_divergence.density_ratio(difference, dual_divergence.chi_square)
    np.testing.assert_allclose(ratio, own / replay, rtol=1e-4)


def test_conjugates_have_the_slopes_of_their_divergences() -> None:
    slope = jax.vmap(jax.grad(dual_divergence.kl))
    x = jnp.array([-1.0, 1.0, 3.0])
    np.testing.assert_allclose(slope(x), jnp.exp(x - 1), rtol=1e-6)
    assert np.isfinite(dual_divergence.kl(jnp.array(1e6)))  # beyond, a straight line
    ratio = dual_divergence.density_ratio(jnp.array([-2.0, 0.5]), dual_divergence.chi_square)
    assert ratio.tolist() == [0.0, 0.5]


def test_the_critics_loss_is_the_dual() -> None:
    key = jax.random.key(0)
    critic = TwinCritic(key, Normaliser.none(2), 1, (), normalise=False)
    state, action, own = (jax.random.normal(key, (4, n)) for n in (2, 1, 1))
    target = jnp.arange(4.0)
    loss, value = dual_divergence.critic_loss(
        critic, state, action, own, target, dual_divergence.chi_square, 0.25
    )
    now = critic(state, own)
    expected = sum(0.25 * now[i].mean() + 0.5 * ((target - value[i]) ** 2).mean() for i in (0, 1))
    assert float(loss) == pytest.approx(float(expected), rel=1e-5)


def test_the_policy_climbs_a_weighted_mean_of_values() -> None:
    now, later, ratio = jnp.array([1.0, 3.0]), jnp.array([10.0, 20.0]), jnp.array([0.0, 1.0])
    found = dual_divergence.policy_value(now, later, ratio, start_weight=0.1, gamma=0.9)
    assert float(found) == pytest.approx((0.1 * 2 + 0.9 * 10) / (0.1 + 0.9 * 0.5), rel=1e-4)

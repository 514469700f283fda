"""Densities and temperature of a policy with entropy."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from depo.losses import (
    soft_policy,
)
from depo.models.categorical import Categorical
from depo.models.critic import TwinCritic
from depo.models.normaliser import Normaliser
from depo.models.planner import Gaussian
from depo.models.policy import tanh_sample

KEY = jax.random.key(0)


def test_density_of_a_squashed_gaussian() -> None:
    mean, log_std = 0.4, -0.7
    before = Gaussian(jnp.full((50_000, 1), mean), jnp.full((50_000, 1), log_std))
    action, log_prob, _ = tanh_sample(before, KEY)

    def density(a: float) -> float:
        return norm.pdf(np.arctanh(a), mean, np.exp(log_std)) / (1 - a**2)

    at = float(action[7, 0])
    assert float(log_prob[7]) == pytest.approx(np.log(density(at)), abs=1e-4)
    entropy = -quad(lambda a: density(a) * np.log(density(a)), -0.99999, 0.99999, limit=200)[0]
    assert -float(jnp.mean(log_prob)) == pytest.approx(entropy, abs=0.02)
    far = tanh_sample(Gaussian(jnp.full((4, 1), 50.0), jnp.zeros((4, 1))), KEY)[1]
    assert np.isfinite(far).all()


def test_temperature_rises_when_the_policy_is_too_sure() -> None:
    slope = jax.grad(lambda t: soft_policy.temperature_loss(t, jnp.asarray(-5.0), -2.0))
    assert float(slope(soft_policy.Temperature(jnp.zeros(()))).log_alpha) < 0  # descent raises α


def test_over_discrete_actions_the_best_policy_is_the_softmax_of_q() -> None:
    critic = TwinCritic(KEY, Normaliser.none(2), 3, (8,), normalise=True)
    state, alpha = jax.random.normal(KEY, (4, 2)), jnp.asarray(0.1)
    q = critic.least_of_each(state, np.eye(3, dtype=np.float32))
    for i in range(3):
        taken = jnp.broadcast_to(jnp.eye(3)[i], (4, 3))
        np.testing.assert_allclose(q[:, i], critic.least(state, taken), atol=1e-6)
    best = Categorical(q / alpha, (3,))
    value = soft_policy.exact_value(best, critic, state, alpha)
    np.testing.assert_allclose(value, alpha * jax.nn.logsumexp(q / alpha, axis=-1), rtol=1e-4)

    def loss(logits: jax.Array) -> jax.Array:
        return soft_policy.exact_loss(Categorical(logits, (3,)), critic, state, alpha, 0.0)[0]

    np.testing.assert_allclose(jax.jit(jax.grad(loss))(best.logits), jnp.zeros((4, 3)), atol=1e-6)
    assert float(loss(best.logits)) < float(loss(jnp.zeros((4, 3))))
    entropy = soft_policy.exact_loss(best, critic, state, alpha, 0.0)[1]
    assert float(entropy) == pytest.approx(float(jnp.mean(best.entropy())), rel=1e-5)

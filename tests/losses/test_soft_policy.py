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

"""The best discriminator is known."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from depo.losses import (
    discriminator,
)
from depo.models.discriminator import Discriminator
from tests.support.descent import minimise


def test_the_best_discriminator_is_the_density_ratio() -> None:
    """D* = ρ_E / (ρ_E + ρ_π), so the logit is log ρ_E/ρ_π."""
    expert = (jnp.array([0, 0, 0, 1]), jnp.array([1, 1, 1, 0]))
    agent = (jnp.array([0, 1, 1, 1]), jnp.array([1, 0, 0, 0]))
    best = minimise(Discriminator(KEY, 2, (16,)), lambda d: discriminator.loss(d, expert, agent))
    logits = best(jnp.array([0, 1]), jnp.array([1, 0]))
    np.testing.assert_allclose(logits, [np.log(3), -np.log(3)], atol=0.05)


KEY = jax.random.key(0)

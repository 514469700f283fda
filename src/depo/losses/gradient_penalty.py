"""E[(‖∇_x logit(x)‖ − 1)²] at random points x between expert and agent transitions, or states."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.models.discriminator import AnyDiscriminator, StatePotential
from depo.models.reward import StateReward


def loss(
    discriminator: AnyDiscriminator | StatePotential | StateReward,
    expert: Float[Array, "batch features"],
    agent: Float[Array, "batch features"],
    key: Key[Array, ""],
) -> Float[Array, ""]:
    """Keeps the logit's slope near one, so that the reward says how far off an agent is."""
    share = jax.random.uniform(key, (expert.shape[0], 1))
    between = share * expert + (1.0 - share) * agent
    slope = jax.grad(lambda x: jnp.sum(discriminator.logit(x)))(between)
    length = jnp.sqrt(jnp.sum(slope**2, axis=-1) + 1e-12)  # the root has no slope at zero
    return jnp.mean((length - 1.0) ** 2)

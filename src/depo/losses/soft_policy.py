"""Soft actor-critic: E[α log π(a|s) − min Q(s,a)], and the temperature α that holds an entropy."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.models.critic import TwinCritic
from depo.models.policy import DecoupledPolicy, GaussianActor


def loss(
    actor: GaussianActor | DecoupledPolicy,
    critic: TwinCritic,
    state: Float[Array, "batch sees"],
    temperature: Float[Array, ""],
    output_penalty: float,
    key: Key[Array, ""],
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """The loss, and the policy's entropy estimated on the way."""
    action, log_prob, before = actor.sample_log_prob(state, key)
    value = jnp.mean(temperature * log_prob - critic.least(state, action))
    penalty = jnp.mean(before.mean**2) + jnp.mean(before.log_std**2)
    return value + output_penalty * penalty, -jnp.mean(log_prob)


class Temperature(eqx.Module):
    """α, kept positive by its logarithm."""

    log_alpha: Float[Array, ""]

    def __call__(self) -> Float[Array, ""]:
        """α."""
        return jnp.exp(self.log_alpha)


def temperature_loss(
    temperature: Temperature, entropy: Float[Array, ""], wanted: float
) -> Float[Array, ""]:
    """log α·(H − H̄): α falls while the entropy H is above the wanted H̄."""
    return temperature.log_alpha * jax.lax.stop_gradient(entropy - wanted)

"""Soft actor-critic: E[α log π(a|s) − min Q(s,a)], and the temperature α that holds an entropy.

Continuous actions are sampled; the mean over discrete ones is exact (Christodoulou, 2019).
"""

from __future__ import annotations

import math

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.models.action_space import ActionSpace
from depo.models.categorical import Categorical
from depo.models.critic import TwinCritic
from depo.models.policy import DecoupledPolicy, GaussianActor

ENTROPY_SHARE = 0.3
"""The entropy wanted of discrete actions, as a share of the largest there can be."""


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


def exact_value(
    chosen: Categorical,
    critic: TwinCritic,
    state: Float[Array, "batch sees"],
    temperature: Float[Array, ""],
) -> Float[Array, " batch"]:
    """Σ_a π(a|s)·(min Q(s,a) − α log π(a|s)) of a distribution over discrete actions."""
    log_prob = chosen.joint()
    value = critic.least_of_each(state, chosen.every()) - temperature * log_prob
    return jnp.sum(jnp.exp(log_prob) * value, axis=-1)


def exact_loss(
    chosen: Categorical,
    critic: TwinCritic,
    state: Float[Array, "batch sees"],
    temperature: Float[Array, ""],
    output_penalty: float,
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """The loss over discrete actions, and the policy's entropy."""
    loss = -jnp.mean(exact_value(chosen, critic, state, temperature))
    return loss + output_penalty * jnp.mean(chosen.logits**2), jnp.mean(chosen.entropy())


def wanted_entropy(actions: ActionSpace) -> float:
    """H̄: −n of n numbers, a share of log n of each choice among n.

    >>> wanted_entropy(ActionSpace(3)), round(wanted_entropy(ActionSpace.of_choices((2,))), 3)
    (-3.0, 0.208)
    """
    if not actions.choices:
        return -float(actions.length)
    return ENTROPY_SHARE * math.log(actions.combinations)


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

"""Cloning, −E_{s~demonstrations}[log π(a|s)]: of actions that were recorded (Pomerleau 1991),
or in BCO's second half of those that the skill reads into transitions, â = argmax_a I(a|s,s').
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from depo.models.planner import pick
from depo.models.policy import CategoricalActor, DiscreteActor, GaussianActor


def loss(
    actor: CategoricalActor, state: Int[Array, " batch"], label: Int[Array, " batch"]
) -> Float[Array, ""]:
    """Cross-entropy of the actions the skill reads into the demonstrations."""
    return -jnp.mean(pick(actor.log_probabilities(state), label))


def of_choices(
    actor: DiscreteActor,
    state: Float[Array, "batch sees"],
    label: Float[Array, "batch actions"],
) -> Float[Array, ""]:
    """The same on vectors: cross-entropy of one-hot actions."""
    return -jnp.mean(actor.distribution(state).log_prob(label))


def likelihood(
    actor: GaussianActor | DiscreteActor,
    state: Float[Array, "batch sees"],
    action: Float[Array, "batch actions"],
) -> Float[Array, ""]:
    """−E[log π(a|s)] of recorded actions, of a Gaussian through tanh or of choices."""
    return -jnp.mean(actor.log_prob(state, action))


def squared(
    action: Float[Array, "batch actions"], label: Float[Array, "batch actions"]
) -> Float[Array, ""]:
    """E‖a − â‖² between the policy's action and the one recorded, or read into a transition."""
    return jnp.mean(jnp.sum((action - label) ** 2, axis=-1))

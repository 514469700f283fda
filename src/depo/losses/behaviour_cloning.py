"""BCO's second half: −E_{s~demonstrations}[log π(â|s)], â = argmax_a I(a|s,s')."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from depo.models.planner import pick
from depo.models.policy import CategoricalActor, DiscreteActor


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


def squared(
    action: Float[Array, "batch actions"], label: Float[Array, "batch actions"]
) -> Float[Array, ""]:
    """E‖a − â‖² between the policy's action and the one the skill reads into a transition."""
    return jnp.mean(jnp.sum((action - label) ** 2, axis=-1))

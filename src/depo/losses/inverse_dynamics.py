"""L_I, the skill: −E_{(s,a,s')~experience}[log I(a|s,s')], or squared error on vectors."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depo.models.skill import CategoricalSkill, DiscreteSkill, VectorSkill


def loss(
    skill: CategoricalSkill,
    state: Int[Array, " batch"],
    next_state: Int[Array, " batch"],
    action: Int[Array, " batch"],
) -> Float[Array, ""]:
    """Cross-entropy of the action that made each transition."""
    return -jnp.mean(skill.log_prob(state, next_state, action))


def towards(
    skill: CategoricalSkill,
    state: Int[Array, " batch"],
    target: Int[Array, " batch"],
    posterior: Float[Array, "batch actions"],
) -> Float[Array, ""]:
    """Cross-entropy −E[Σ_a p(a|s,s') log I(a|s,s')] at targets that need not have been reached."""
    return -jnp.mean(jnp.sum(posterior * skill.log_probabilities(state, target), axis=-1))


def of_choices(
    skill: DiscreteSkill,
    state: Float[Array, "batch sees"],
    next_state: Float[Array, "batch sees"],
    action: Float[Array, "batch actions"],
) -> Float[Array, ""]:
    """The same between vectors: cross-entropy of one-hot actions."""
    return -jnp.mean(skill.distribution(state, skill.select(next_state)).log_prob(action))


def squared(
    skill: VectorSkill,
    state: Float[Array, "batch sees"],
    next_state: Float[Array, "batch sees"],
    action: Float[Array, "batch actions"],
    key: Key[Array, ""] | None = None,
) -> Float[Array, ""]:
    """E‖tanh μ_I(s,s') − a‖², summed over action dimensions; with a key, of a random action."""
    target = skill.select(next_state)
    meant = skill.mode(state, target) if key is None else skill.sample(state, target, key)
    return jnp.mean(jnp.sum((meant - action) ** 2, axis=-1))

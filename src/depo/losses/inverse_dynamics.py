"""L_I, the skill: −E_{(s,a,s')~experience}[log I(a|s,s')]."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from depo.models.skill import CategoricalSkill


def loss(
    skill: CategoricalSkill,
    state: Int[Array, " batch"],
    next_state: Int[Array, " batch"],
    action: Int[Array, " batch"],
) -> Float[Array, ""]:
    """Cross-entropy of the action that made each transition."""
    return -jnp.mean(skill.log_prob(state, next_state, action))

"""L_h, the supervised planner: −E_{(s,s')~demonstrations}[log h(s'|s)]."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.models.planner import Gaussian, Planner


def loss(planner: Planner, state: Array, next_state: Array) -> Float[Array, ""]:
    """Negative log likelihood of the expert's transitions."""
    return -jnp.mean(planner.log_prob(state, next_state))


def of_distribution(
    plan: Gaussian, difference: Float[Array, "batch dimension"], form: str
) -> Float[Array, ""]:
    """The same from a vector planner's distribution; 'squared' judges its mean alone."""
    if form == "squared":
        return jnp.mean(jnp.sum((plan.mean - difference) ** 2, axis=-1))
    return -jnp.mean(plan.log_prob(difference))

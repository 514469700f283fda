"""L_h, the supervised planner: −E_{(s,s')~demonstrations}[log h(s'|s)]."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.losses import relative_step
from depo.models.planner import Gaussian, Planner


def loss(planner: Planner, state: Array, next_state: Array) -> Float[Array, ""]:
    """Negative log likelihood of the expert's transitions."""
    return -jnp.mean(planner.log_prob(state, next_state))


def of_distribution(
    plan: Gaussian,
    difference: Float[Array, "batch dimension"],
    form: str,
    key: Key[Array, ""],
) -> Float[Array, ""]:
    """The same from a vector planner's distribution; or squared error of its mean or a sample; or
    likelihood in units of demonstrated steps.

    The error of the mean leaves the spread as it was, that of a sample drives it to zero.
    """
    if form == "relative":
        return jnp.mean(relative_step.loss(plan, difference))
    if form in ("squared", "sampled"):
        guess = plan.mean if form == "squared" else plan.sample(key)
        return jnp.mean(jnp.sum((guess - difference) ** 2, axis=-1))
    return -jnp.mean(plan.log_prob(difference))

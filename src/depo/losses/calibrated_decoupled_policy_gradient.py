"""CDePG, the calibrated form: −E[w(s,a) log h(s'|s)] at the state s' that was really reached.

By the redundant-action theorem the action that made a transition is inessential, so
π(a|s) = h(s'|s) for legal s' and the policy gradient becomes a weighted likelihood of real
transitions. Weights are A − min A, not below zero: raw advantages would push the planner away
from real transitions towards arbitrary states.
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from depo.models.planner import CategoricalPlanner


def weights(advantage: Float[Array, " batch"]) -> Float[Array, " batch"]:
    """A − min A over the batch."""
    return advantage - jnp.min(advantage)


def loss(
    planner: CategoricalPlanner,
    state: Int[Array, " batch"],
    next_state: Int[Array, " batch"],
    weight: Float[Array, " batch"],
) -> Float[Array, ""]:
    """−E[w log h(s'|s)]."""
    return -jnp.mean(weight * planner.log_prob(state, next_state))

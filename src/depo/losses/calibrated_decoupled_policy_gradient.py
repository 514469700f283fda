"""CDePG, the calibrated form: −E[w(s,a) log h(s'|s)] at the state s' that was really reached.

By the redundant-action theorem the action that made a transition is inessential, so
π(a|s) = h(s'|s) for legal s' and the policy gradient becomes a weighted likelihood of real
transitions. Weights are A − min A, not below zero: raw advantages would push the planner away
from real transitions towards arbitrary states. On vectors the weight comes from Q, brought to
a fixed range within the minibatch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from depo.models.planner import CategoricalPlanner


def weights(advantage: Float[Array, " batch"]) -> Float[Array, " batch"]:
    """A − min A over the batch."""
    return advantage - jnp.min(advantage)


def positive(advantage: Float[Array, " batch"]) -> Float[Array, " batch"]:
    """max(A, 0): only transitions that were better than usual in their state are examples.

    >>> positive(jnp.array([-1.0, 0.5]))
    Array([0. , 0.5], dtype=float32)
    """
    return jnp.maximum(advantage, 0.0)


ADVANTAGE_WEIGHTS = {"shifted": weights, "positive": positive}
"""By name, of advantages over a batch."""


def loss(
    planner: CategoricalPlanner,
    state: Int[Array, " batch"],
    next_state: Int[Array, " batch"],
    weight: Float[Array, " batch"],
) -> Float[Array, ""]:
    """−E[w log h(s'|s)]."""
    return weighted(planner.log_prob(state, next_state), weight)


def weighted(
    log_planner: Float[Array, " batch"], weight: Float[Array, " batch"]
) -> Float[Array, ""]:
    """−E[w log h] from log h itself."""
    return -jnp.mean(weight * log_planner)


def within_state(
    q: Float[Array, " batch"], planned: Float[Array, " batch"]
) -> Float[Array, " batch"]:
    """min(1, exp((Q(s,a) − Q(s,â))/scale)), â the action planned instead: how good the transition
    is for its state, not how good the state is. The scale is the difference's own deviation.

    >>> within_state(jnp.array([5.0, 1.0]), jnp.array([4.0, 4.0])).round(2)
    Array([1.  , 0.22], dtype=float32)
    """
    gain = q - planned
    return jnp.minimum(1.0, jnp.exp(gain / jnp.maximum(jnp.std(gain), 1e-6)))


def min_max(q: Float[Array, " batch"], _: Any = None) -> Float[Array, " batch"]:
    """Q brought to [0,1] over the minibatch; all zeros when every Q is equal."""
    return (q - jnp.min(q)) / jnp.maximum(jnp.max(q) - jnp.min(q), 1e-6)


def positive_normal(q: Float[Array, " batch"], _: Any = None) -> Float[Array, " batch"]:
    """Q standardised over the minibatch, then lifted to begin at 0."""
    z = (q - jnp.mean(q)) / jnp.maximum(jnp.std(q), 1e-6)
    return z - jnp.min(z)


WEIGHTS: dict[
    str, Callable[[Float[Array, " batch"], Float[Array, " batch"]], Float[Array, " batch"]]
] = {
    "min-max": min_max,
    "positive-normal": positive_normal,
    "shifted": lambda q, _: weights(q),
    "constant": lambda q, _: jnp.ones_like(q),
    "within-state": within_state,
}
"""By name, of Q of real transitions and Q of what is planned in the same states."""

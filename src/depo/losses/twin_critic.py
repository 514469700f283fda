"""Twin critics: ½ E[(Q_i(s,a) − y)²], y = r + γ·V(s') with V(s') = min Q̄(s',a') − α log π(a'|s').

An episode's end replaces V(s') by a constant: 0, or in imitation, where rewards have no zero of
their own, what an absorbed agent earns, or min(V(first states), mean V − k·std V). Where an
expert's episodes end by themselves, an end is worth at least what its last step earns for ever.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from depo.models.critic import TwinCritic


def target(
    reward: Float[Array, " batch"],
    next_value: Float[Array, " batch"],
    terminated: Bool[Array, " batch"],
    end_value: Float[Array, "*batch"] | float,
    gamma: float,
) -> Float[Array, " batch"]:
    """y; a cut episode (truncated) bootstraps like any other step."""
    return jax.lax.stop_gradient(reward + gamma * jnp.where(terminated, end_value, next_value))


def below_usual(
    next_value: Float[Array, " batch"], counts: Bool[Array, " batch"], deviations: float
) -> Float[Array, ""]:
    """mean V(s') − k·std V(s') over the steps that count: it moves with the reward when a constant
    is added to it or it is scaled, so an end of this value prefers neither living nor dying.

    Alone it is not safe: where episodes begin far from what is usual, their first states are worth
    less, and dying there pays. An end is therefore never worth more than beginning anew.

    >>> float(below_usual(jnp.array([1.0, 3.0, 99.0]), jnp.array([True, True, False]), 1.0))
    1.0
    """
    mean, spread = jnp.mean(next_value, where=counts), jnp.std(next_value, where=counts)
    return jnp.where(jnp.any(counts), mean - deviations * spread, 0.0)


def wanted_end(
    worst: Float[Array, ""], reward: Float[Array, " batch"], gamma: float
) -> Float[Array, " batch"]:
    """max(r(s,s')/(1 − γ), worst): of an end that is as the expert's, its last step's reward for
    ever, as if the agent stayed there; of any other the worst.

    Rewards are around their mean, so such an end is above all that is usual. With the worst alone,
    who arrives pays for it, and going on for ever without arriving is better.

    >>> wanted_end(jnp.array(-5.0), jnp.array([0.2, -0.3]), 0.99).round(1)
    Array([20., -5.], dtype=float32)
    """
    return jnp.maximum(reward / (1.0 - gamma), worst)


def loss(
    critic: TwinCritic,
    state: Float[Array, "batch sees"],
    action: Float[Array, "batch actions"],
    target: Float[Array, " batch"],
) -> tuple[Float[Array, ""], Float[Array, "2 batch"]]:
    """The loss of both critics added up, and their values."""
    value = critic(state, action)
    return 0.5 * jnp.sum(jnp.mean((value - target) ** 2, axis=1)), value

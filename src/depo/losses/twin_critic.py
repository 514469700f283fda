"""Twin critics: ½ E[(Q_i(s,a) − y)²], y = r + γ·V(s') with V(s') = min Q̄(s',a') − α log π(a'|s').

An episode's end replaces V(s') by what it is worth: 0, or in imitation, where rewards have no zero
of their own, what :mod:`depo.losses.end_value` makes of it.
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


def loss(
    critic: TwinCritic,
    state: Float[Array, "batch sees"],
    action: Float[Array, "batch actions"],
    target: Float[Array, " batch"],
) -> tuple[Float[Array, ""], Float[Array, "2 batch"]]:
    """The loss of both critics added up, and their values."""
    value = critic(state, action)
    return 0.5 * jnp.sum(jnp.mean((value - target) ** 2, axis=1)), value

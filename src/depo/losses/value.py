"""The critic: generalised advantage estimation and the value regression."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from depo.models.critic import Critic


def advantages(
    reward: Float[Array, "time copies"],
    value: Float[Array, "time copies"],
    next_value: Float[Array, "time copies"],
    terminated: Bool[Array, "time copies"],
    truncated: Bool[Array, "time copies"],
    gamma: float,
    trace: float,
) -> Float[Array, "time copies"]:
    """A_t = δ_t + γλ A_{t+1} within an episode, δ = r + γV(s') − V(s).

    Termination has value 0; a cut episode (truncated, or the batch's end) bootstraps from V(s').
    """
    delta = reward + gamma * next_value * ~terminated - value
    carries_on = ~(terminated | truncated)

    def backwards(
        following: Float[Array, " copies"],
        now: tuple[Float[Array, " copies"], Bool[Array, " copies"]],
    ) -> tuple[Float[Array, " copies"], Float[Array, " copies"]]:
        delta_t, carries_t = now
        advantage = delta_t + gamma * trace * carries_t * following
        return advantage, advantage

    last = jnp.zeros_like(delta[0])
    return jax.lax.scan(backwards, last, (delta, carries_on), reverse=True)[1]


def standardise(x: Float[Array, "*any"]) -> Float[Array, "*any"]:
    """Zero mean, unit deviation; all zeros when every entry is equal."""
    return (x - jnp.mean(x)) / (jnp.std(x) + 1e-6)


def loss(
    critic: Critic, state: Int[Array, " batch"], target: Float[Array, " batch"]
) -> Float[Array, ""]:
    """½ E[(V(s) − target)²]."""
    return 0.5 * jnp.mean((critic(state) - target) ** 2)

"""PPO: −E[min(ρA, clip(ρ, 1±ε)A)], ρ = π(a|s)/π_old(a|s)."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float


def loss(
    log_policy: Float[Array, " batch"],
    old_log_policy: Float[Array, " batch"],
    advantage: Float[Array, " batch"],
    clip: float,
) -> Float[Array, ""]:
    """The clipped surrogate for log π of the actions taken."""
    # ε-greedy actions may be all but impossible under π: bound the exponent, not the result.
    ratio = jnp.exp(jnp.clip(log_policy - old_log_policy, -20.0, 20.0))
    clipped = jnp.clip(ratio, 1.0 - clip, 1.0 + clip)
    return -jnp.mean(jnp.minimum(ratio * advantage, clipped * advantage))

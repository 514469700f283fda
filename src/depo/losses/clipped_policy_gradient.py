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
    ratio = jnp.exp(log_policy - old_log_policy)
    clipped = jnp.clip(ratio, 1.0 - clip, 1.0 + clip)
    return -jnp.mean(jnp.minimum(ratio * advantage, clipped * advantage))

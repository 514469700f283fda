"""L_h, the supervised planner: −E_{(s,s')~demonstrations}[log h(s'|s)]."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.models.planner import Planner


def loss(planner: Planner, state: Array, next_state: Array) -> Float[Array, ""]:
    """Negative log likelihood of the expert's transitions."""
    return -jnp.mean(planner.log_prob(state, next_state))

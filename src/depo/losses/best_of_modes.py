"""L_I for a skill of several modes: the nearest head learns the action, the gate which one that is.

E[(1−ε)·min_k ‖a_k(s,s') − a‖² + ε·mean_k ‖a_k(s,s') − a‖² − c·log g_{k*}(s,s')],

k* the nearest head. Where many actions have the same effect, squared error alone learns their
average, which may have another effect; here each head averages over its own part of them. The
small ε keeps heads alive that are never the nearest.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.models.planner import pick
from depo.models.skill import VectorSkill

ALIVE = 0.05
GATE = 0.1


def loss(
    skill: VectorSkill,
    state: Float[Array, "batch sees"],
    next_state: Float[Array, "batch sees"],
    action: Float[Array, "batch actions"],
) -> Float[Array, ""]:
    """The error of the nearest head and the surprise of the gate."""
    heads, gate = skill.heads(state, skill.select(next_state))
    error = jnp.sum((jnp.tanh(heads) - action[:, None, :]) ** 2, axis=-1)
    nearest = jnp.argmin(error, axis=-1)
    surprise = -pick(jax.nn.log_softmax(gate), nearest)
    spread = (1.0 - ALIVE) * jnp.min(error, axis=-1) + ALIVE * jnp.mean(error, axis=-1)
    return jnp.mean(spread + GATE * surprise)

"""Expert transitions that a step learns from."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.data.transitions import Acted, Expert
from depo.methods.optimisation import uniform_index


def draw_pairs(
    expert: Expert, key: Key[Array, ""], size: int
) -> tuple[Float[Array, "size sees"], Float[Array, "size sees"]]:
    """Expert transitions, uniformly."""
    index = uniform_index(key, (size,), expert[0].shape[0])
    return expert[0][index], expert[1][index]


def draw_steps(expert: Acted, key: Key[Array, ""], size: int) -> Acted:
    """Expert transitions with their actions, uniformly."""
    index = uniform_index(key, (size,), expert.state.shape[0])
    return Acted(*(column[index] for column in expert))


FIRST = 8
"""At most this many demonstrated episodes are asked what beginning is worth."""


def first_states(expert: Expert) -> Float[Array, "episodes sees"]:
    """States in which demonstrated episodes begin: those that the row before does not lead to.

    >>> s = jnp.array([[0.0], [1.0], [7.0], [8.0]])
    >>> first_states((s, s + 1.0))[:3, 0]
    Array([0., 7., 0.], dtype=float32)
    """
    state, next_state = expert[0], expert[1]
    begins = jnp.any(state[1:] != next_state[:-1], axis=-1)
    rows = jnp.nonzero(jnp.concatenate([jnp.array([True]), begins]), size=FIRST, fill_value=0)[0]
    return state[rows]

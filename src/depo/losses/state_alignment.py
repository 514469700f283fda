"""Wasserstein distance of visited states: max_φ E_expert[φ(s)] − E_agent[φ(s)], φ of slope 1.

By Kantorovich and Rubinstein's duality; a penalty on the slope stands for the bound
(:mod:`depo.losses.gradient_penalty`). The reward is r(s') = φ(s') − E_expert[φ(s)]: how much nearer
to the expert's states the agent could still come (Liu et al. 2020, section 4.2).
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.models.discriminator import StatePotential


def loss(
    potential: StatePotential,
    expert: Float[Array, "expert sees"],
    agent: Float[Array, "agent sees"],
) -> Float[Array, ""]:
    """E_agent[φ] − E_expert[φ]: with a minus, the distance."""
    return jnp.mean(potential(agent)) - jnp.mean(potential(expert))


def reward(
    potential: StatePotential,
    expert: Float[Array, "expert sees"],
    reached: Float[Array, "batch sees"],
) -> Float[Array, " batch"]:
    """φ(s') − E_expert[φ(s)]."""
    return potential(reached) - jnp.mean(potential(expert))

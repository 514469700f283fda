"""β-VAE of the expert's transitions: E‖s' − d(z)‖² + β·KL(q(z|s) ‖ N(0,1)), z ~ q(z|s).

The code z of s must be enough to say where the expert goes next, and small: states unlike the
demonstrated ones are read as their likes (Liu et al. 2020, "State alignment-based imitation
learning", section 4.1). Both are means over features, as in the authors' code.
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.models.planner import Gaussian
from depo.models.variational_planner import VariationalPlanner


def divergence(code: Gaussian) -> Float[Array, ""]:
    """KL(q ‖ N(0,1)) for each number of a code.

    >>> float(divergence(Gaussian(jnp.array([[2.0]]), jnp.zeros((1, 1)))))
    2.0
    """
    variance = jnp.exp(2.0 * code.log_std)
    return 0.5 * jnp.mean(code.mean**2 + variance - 2.0 * code.log_std - 1.0)


def loss(
    planner: VariationalPlanner,
    state: Float[Array, "batch sees"],
    next_state: Float[Array, "batch sees"],
    weight: float,
    key: Key[Array, ""],
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """The loss, and the squared error alone."""
    code = planner.code(state)
    change = planner.difference(state, planner.select(next_state))
    missed = jnp.mean((planner.decoder(code.sample(key)) - change) ** 2)
    return missed + weight * divergence(code), missed

"""r(s,s') = ψ(−‖s' − θ(s)‖): how near the agent comes to the state that the expert would be in.

θ is fitted to an expert's states alone and is no part of the policy (Kimura et al. 2018, "Internal
model from observations for reward shaping"); ψ bounds the reward. The distance is that of the
standardised features, in lengths of a typical step where that is known, so that its width means the
same on every task. It is one length for all of them: in units of its own step a feature that the
expert keeps still would count above all others.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.models.planner import GaussianPlanner

SMALLEST = 1e-12
"""Keeps the root's slope finite where a prediction is met exactly."""


def distance(
    predictor: GaussianPlanner,
    state: Float[Array, "batch sees"],
    next_state: Float[Array, "batch sees"],
) -> Float[Array, " batch"]:
    """‖s' − θ(s)‖ of each transition, relative to a step's length, or else per feature."""
    own = predictor.normaliser.at(predictor.predicts)
    reached = predictor.difference(state, predictor.select(next_state))
    missed = own.of_steps(reached - predictor.distribution(state).mean)
    unit = 1.0 if own.step is None else jax.lax.stop_gradient(jnp.mean(own.step**2))
    return jnp.sqrt(jnp.mean(missed**2, axis=-1) / unit + SMALLEST)


def gaussian(distance: Float[Array, "*batch"]) -> Float[Array, "*batch"]:
    """exp(−d²/2), from 0 to 1: every step pays, the near ones more.

    >>> [round(float(gaussian(jnp.array(x))), 3) for x in (0.0, 1.0, 3.0)]
    [1.0, 0.607, 0.011]
    """
    return jnp.exp(-0.5 * distance**2)


def hyperbolic(distance: Float[Array, "*batch"]) -> Float[Array, "*batch"]:
    """tanh(−d), from −1 to 0: every step costs, the far ones more.

    >>> [round(float(hyperbolic(jnp.array(x))), 3) for x in (0.0, 1.0, 3.0)]
    [-0.0, -0.762, -0.995]
    """
    return jnp.tanh(-distance)


FORMS: dict[str, Callable[[Float[Array, "*batch"]], Float[Array, "*batch"]]] = {
    "gaussian": gaussian,
    "tanh": hyperbolic,
}


def reward(
    predictor: GaussianPlanner,
    state: Float[Array, "batch sees"],
    next_state: Float[Array, "batch sees"],
    form: str,
    width: float,
) -> Float[Array, " batch"]:
    """ψ(−d/σ) of each transition."""
    return FORMS[form](distance(predictor, state, next_state) / width)

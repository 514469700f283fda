"""Likelihood of a step in units that are the same on every task: mean_j (σ_j²/d_j²)·(−log h_j).

Plain likelihood pulls a plan's mean by (ŝ'−s')/σ², so a planner that is sure is held a hundred
times harder than one that is not, and what weight is right depends on the task. Weighted by its
variance (β-NLL with β = 1: the weight is held fixed) the pull is (ŝ'−s')/d² instead, whatever σ;
d_j² is the mean square of the minibatch's steps of feature j. So the mean's part is half the reach
error relative to standing still: 0 is exact, a plan to stay has ½. A beginner's steps may be far
larger than the expert's (who balances), so each is measured by its own.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.models.planner import Gaussian

FLOOR = 1e-4
"""Features that move by less than 1% of their deviation in a step are measured as if they did."""


def loss(plan: Gaussian, difference: Float[Array, "batch dimension"]) -> Float[Array, " batch"]:
    """Of each row.

    >>> plan = Gaussian(jnp.zeros((1, 2)), jnp.zeros((1, 2)))
    >>> step = jnp.array([[2.0, 0.5]])
    >>> pull = jax.grad(lambda mean: loss(Gaussian(mean, plan.log_std), step)[0])(plan.mean)
    >>> [round(float(x), 3) for x in pull[0]]
    [-0.25, -1.0]
    """
    variance = jax.lax.stop_gradient(jnp.exp(2 * plan.log_std))
    unit = jnp.maximum(jnp.mean(difference**2, axis=0), FLOOR)
    z = (difference - plan.mean) * jnp.exp(-plan.log_std)
    return jnp.mean((variance / unit) * (0.5 * z**2 + plan.log_std), axis=-1)

"""r(s,s') from the discriminator's logit l, D = sigmoid(l): how expert-like a transition looks."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

Reward = Callable[[Float[Array, "*batch"]], Float[Array, "*batch"]]


def log_d(logit: Float[Array, "*batch"]) -> Float[Array, "*batch"]:
    """log D ≤ 0: the paper's reward; every step costs, so it also pays to arrive."""
    return jax.nn.log_sigmoid(logit)


def minus_log_one_minus_d(logit: Float[Array, "*batch"]) -> Float[Array, "*batch"]:
    """−log(1 − D) ≥ 0: every step pays, so it also pays to stay."""
    return jax.nn.softplus(logit)


def logit(logit: Float[Array, "*batch"]) -> Float[Array, "*batch"]:
    """log D − log(1 − D), of either sign."""
    return logit


def constant(logit: Float[Array, "*batch"]) -> Float[Array, "*batch"]:
    """−log 2 everywhere, what an undecided discriminator gives: a control that imitates nothing."""
    return jnp.full_like(logit, -jnp.log(2.0))


FORMS: dict[str, Reward] = {
    "log-d": log_d,
    "-log(1-d)": minus_log_one_minus_d,
    "logit": logit,
    "constant": constant,
}

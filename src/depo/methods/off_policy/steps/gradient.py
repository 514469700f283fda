"""One gradient step on a loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import equinox as eqx
import optax
from jaxtyping import Array, Float

from depo.methods.optimisation import Trained

Model = TypeVar("Model", bound=eqx.Module)


def step(
    trained: Trained[Model],
    optimiser: optax.GradientTransformation,
    loss: Callable[[Model], tuple[Float[Array, ""], Any]],
) -> tuple[Trained[Model], Float[Array, ""], Any]:
    """One gradient step on a loss with something beside; returns both."""
    (value, beside), gradient = eqx.filter_value_and_grad(loss, has_aux=True)(trained.model)
    updates, moments = optimiser.update(gradient, trained.moments)
    return Trained(eqx.apply_updates(trained.model, updates), moments), value, beside

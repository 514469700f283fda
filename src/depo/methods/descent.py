"""Gradient descent over prepared minibatches, inside the compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, Key

Model = TypeVar("Model", bound=eqx.Module)


class Trained(eqx.Module, Generic[Model]):
    """A model and its optimiser's moments."""

    model: Model
    moments: Any


def fresh(model: Model, optimiser: optax.GradientTransformation) -> Trained[Model]:
    """A model about to be trained."""
    return Trained(model, optimiser.init(eqx.filter(model, eqx.is_inexact_array)))


def descend(
    trained: Trained[Model],
    optimiser: optax.GradientTransformation,
    loss: Callable[[Model, Any], Float[Array, ""]],
    batches: Any,
) -> tuple[Trained[Model], Float[Array, ""]]:
    """One step for each leading entry of ``batches``; returns the mean loss beside the model."""

    def step(trained: Trained[Model], batch: Any) -> tuple[Trained[Model], Float[Array, ""]]:
        value, gradient = eqx.filter_value_and_grad(loss)(trained.model, batch)
        updates, moments = optimiser.update(gradient, trained.moments)
        return Trained(eqx.apply_updates(trained.model, updates), moments), value

    trained, values = jax.lax.scan(step, trained, batches)
    return trained, jnp.mean(values)


def minibatches(
    key: Key[Array, ""], total: int, size: int, epochs: int
) -> Int[Array, "steps size"]:
    """Indices of shuffled minibatches for several passes over ``total`` rows."""
    size = min(size, total)
    count = total // size
    orders = jnp.argsort(jax.random.uniform(key, (epochs, total)))
    return orders[:, : count * size].reshape(epochs * count, size)


def uniform_index(
    key: Key[Array, ""], shape: tuple[int, ...], size: int | Int[Array, ""]
) -> Int[Array, ...]:
    """Whole numbers below ``size`` (< 2²³), one draw each: cheaper to compile than randint."""
    draw = jnp.floor(jax.random.uniform(key, shape) * size).astype(jnp.int32)
    return jnp.minimum(draw, size - 1)

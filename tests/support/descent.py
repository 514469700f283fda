"""Losses are minimised until the answer is known."""

from __future__ import annotations

import jax.numpy as jnp
import optax

from depo.methods.optimisation import descend, fresh


def minimise(model, loss, steps: int = 800, rate: float = 1e-2):
    """The model where a loss of it alone is least."""
    optimiser = optax.adam(rate)
    trained, _ = descend(fresh(model, optimiser), optimiser, lambda m, _: loss(m), jnp.zeros(steps))
    return trained.model

"""The penalty of a discriminator whose slope is known."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from depo.losses import (
    gradient_penalty,
)
from depo.models.discriminator import VectorDiscriminator
from depo.models.normaliser import Normaliser

KEY = jax.random.key(0)
PLAIN = Normaliser.none(2)


def test_the_penalty_of_a_linear_discriminator_is_its_slope() -> None:
    model = VectorDiscriminator(KEY, PLAIN, hidden=())
    weights = jnp.array([[3.0], [0.0], [4.0], [0.0]])
    model = eqx.tree_at(lambda m: m.network.weights[0], model, weights)
    points = jax.random.normal(KEY, (2, 16, 4))
    assert float(gradient_penalty.loss(model, points[0], points[1], KEY)) == pytest.approx(16.0)

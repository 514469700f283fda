"""Cloning follows its labels."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from depo.losses import (
    behaviour_cloning,
)
from depo.models.policy import CategoricalActor
from tests.support.descent import minimise


def test_cloning_follows_the_labels() -> None:
    actor = minimise(
        CategoricalActor(KEY, 3, 2, (16,)),
        lambda a: behaviour_cloning.loss(a, jnp.array([0, 1, 2]), jnp.array([1, 0, 1])),
    )
    assert actor.mode(jnp.arange(3)).action.tolist() == [1, 0, 1]


KEY = jax.random.key(0)

"""Cloning follows its labels."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from depo.losses import (
    behaviour_cloning,
)
from depo.models.normaliser import Normaliser
from depo.models.policy import CategoricalActor, DiscreteActor
from tests.support.descent import minimise


def test_cloning_follows_the_labels() -> None:
    actor = minimise(
        CategoricalActor(KEY, 3, 2, (16,)),
        lambda a: behaviour_cloning.loss(a, jnp.array([0, 1, 2]), jnp.array([1, 0, 1])),
    )
    assert actor.mode(jnp.arange(3)).action.tolist() == [1, 0, 1]


def test_cloning_follows_the_labels_on_vectors() -> None:
    state, label = jnp.array([[-1.0], [0.0], [1.0]]), jnp.eye(3)[jnp.array([1, 0, 2])]
    actor = minimise(
        DiscreteActor(KEY, Normaliser.none(1), (3,), (16,)),
        lambda a: behaviour_cloning.of_choices(a, state, label),
    )
    assert actor.mode(state).action.tolist() == label.tolist()


KEY = jax.random.key(0)

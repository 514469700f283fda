"""The skill learns which action made a transition."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from depo.losses import (
    inverse_dynamics,
)
from depo.models.normaliser import Normaliser
from depo.models.skill import CategoricalSkill, DiscreteSkill
from tests.support.descent import minimise


def test_the_skill_learns_which_action_made_the_transition() -> None:
    state, reached = jnp.array([0, 0, 0, 1]), jnp.array([1, 1, 2, 0])
    action = jnp.array([0, 1, 2, 2])
    skill = minimise(
        CategoricalSkill(KEY, 3, 3, (16,)),
        lambda i: inverse_dynamics.loss(i, state, reached, action),
    )
    learned = np.exp(skill.log_probabilities(state, reached))
    expected = [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1], [0, 0, 1]]
    np.testing.assert_allclose(learned, expected, atol=0.02)


def test_towards_a_target_the_skill_learns_what_is_known_of_every_action() -> None:
    state, target = jnp.array([0, 1]), jnp.array([2, 2])
    known = jnp.array([[0.7, 0.2, 0.1], [0.0, 0.5, 0.5]])
    skill = minimise(
        CategoricalSkill(KEY, 3, 3, (16,)),
        lambda i: inverse_dynamics.towards(i, state, target, known),
    )
    learned = np.exp(skill.log_probabilities(state, target))
    np.testing.assert_allclose(learned, known, atol=0.02)


def test_between_vectors_the_skill_learns_each_choice_that_made_the_transition() -> None:
    reached = jnp.array([[1.0], [1.0], [-1.0], [0.0]])
    action = jnp.array([[1.0, 0, 0, 1], [0, 1, 0, 1], [0, 1, 1, 0], [1, 0, 1, 0]])
    skill = minimise(
        DiscreteSkill(KEY, Normaliser.none(1), (2, 2), (16,)),
        lambda i: inverse_dynamics.of_choices(i, jnp.zeros((4, 1)), reached, action),
    )
    learned = np.exp(skill.distribution(jnp.zeros((4, 1)), reached).log_probabilities())
    expected = [[0.5, 0.5, 0, 1], [0.5, 0.5, 0, 1], [0, 1, 1, 0], [1, 0, 1, 0]]
    np.testing.assert_allclose(learned, expected, atol=0.03)


KEY = jax.random.key(0)

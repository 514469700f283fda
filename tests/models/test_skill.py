"""Skills between states that are finite, and of vectors."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from depo.models.normaliser import Normaliser
from depo.models.skill import CategoricalSkill, VectorSkill

KEY = jax.random.key(0)


def test_all_targets_at_once_equal_one_by_one() -> None:
    skill = CategoricalSkill(KEY, 6, 3, (16, 16))
    states = jnp.array([0, 5, 2])
    at_once = skill.towards_all(states)
    for target in range(6):
        single = skill.log_probabilities(states, jnp.full(3, target))
        np.testing.assert_allclose(at_once[:, target], single, rtol=1e-5, atol=1e-6)


def test_a_vector_skill_stays_in_bounds_and_its_noise_is_before_the_tanh() -> None:
    skill = VectorSkill(KEY, Normaliser.none(3), 2, (16,), noise=0.3)
    state, target = jnp.ones((20_000, 3)), jnp.zeros((20_000, 3))
    actions = np.asarray(skill.sample(state, target, KEY))
    assert np.abs(actions).max() < 1
    before = np.arctanh(actions)
    np.testing.assert_allclose(before.std(axis=0), 0.3, rtol=0.03)
    np.testing.assert_allclose(
        np.tanh(before.mean(axis=0)), skill.mode(state, target)[0], atol=0.01
    )

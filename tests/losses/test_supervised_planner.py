"""The planner learns where the expert goes."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from depo.losses import (
    inverse_dynamics,
    supervised_planner,
)
from depo.models.normaliser import Normaliser
from depo.models.planner import CategoricalPlanner, Gaussian
from depo.models.skill import VectorSkill
from tests.support.descent import minimise


def test_the_supervised_planner_learns_the_experts_frequencies() -> None:
    state = jnp.array([0] * 4 + [1] * 2)
    following = jnp.array([1, 1, 1, 2, 0, 2])
    planner = minimise(
        CategoricalPlanner(KEY, 3, (16,)),
        lambda p: supervised_planner.loss(p, state, following),
    )
    h = np.exp(planner.log_probabilities(jnp.arange(2)))
    np.testing.assert_allclose(h, [[0, 0.75, 0.25], [0.5, 0, 0.5]], atol=0.02)


KEY = jax.random.key(0)
PLAIN = Normaliser.none(2)


def test_squared_errors_are_summed_over_dimensions() -> None:
    skill = VectorSkill(KEY, PLAIN, 2, (4,))
    skill = jax.tree.map(jnp.zeros_like, skill)
    skill = eqx.tree_at(lambda s: s.normaliser.scale, skill, jnp.ones(2))
    action = jnp.array([[0.5, -0.5]])
    zero = jnp.zeros((1, 2))
    assert float(inverse_dynamics.squared(skill, zero, zero, action)) == pytest.approx(0.5)
    plan = Gaussian(jnp.zeros((1, 2)), jnp.zeros((1, 2)))
    squared = supervised_planner.of_distribution(plan, action, "squared", KEY)
    assert float(squared) == pytest.approx(0.5)
    expected = -norm.logpdf([0.5, -0.5]).sum()
    likelihood = supervised_planner.of_distribution(plan, action, "likelihood", KEY)
    assert float(likelihood) == pytest.approx(expected, rel=1e-5)

"""A prior that is known, and no gradient into it."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

from depo.losses import policy_prior
from depo.models.categorical import Categorical


def test_the_squared_distance_is_summed_and_moves_the_policy_alone() -> None:
    action, prior = jnp.array([[0.5, -0.5]]), jnp.array([[0.0, 0.5]])
    assert float(policy_prior.squared(action, prior)) == pytest.approx(1.25)
    own, other = jax.grad(policy_prior.squared, argnums=(0, 1))(action, prior)
    assert own[0].tolist() == [1.0, -2.0]
    assert not other.any()


def test_the_cross_entropy_of_choices() -> None:
    sure = Categorical(jnp.array([[100.0, 0.0]]), (2,))
    half = Categorical(jnp.zeros((1, 2)), (2,))
    assert float(policy_prior.of_choices(sure, half)) == pytest.approx(0.6931, abs=1e-3)

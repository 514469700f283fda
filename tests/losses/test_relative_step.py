"""An anchor whose pull knows neither the planner's deviation nor a feature's units."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depo.losses import relative_step
from depo.models.planner import Gaussian

SHOWN = jnp.array([[1.0, -0.1], [-1.0, 0.1]])
STEP = jnp.array([[0.5, 0.05]])


def pull(log_std: float, units: float = 1.0) -> jax.Array:
    """The gradient on the planned mean, which begins as a plan to stay."""

    def loss(mean: jax.Array) -> jax.Array:
        plan = Gaussian(mean, jnp.full((1, 2), log_std))
        return relative_step.loss(plan, units * STEP, units * SHOWN)[0]

    return jax.grad(loss)(jnp.zeros((1, 2)))[0]


@pytest.mark.parametrize("log_std", [-4.0, 0.0])
def test_the_pull_does_not_depend_on_the_deviation(log_std: float) -> None:
    np.testing.assert_allclose(pull(log_std), -0.5 * np.array([0.5, 5.0]), rtol=1e-5)


def test_a_plan_missed_by_the_same_share_of_a_step_costs_the_same_in_any_units() -> None:
    np.testing.assert_allclose(pull(0.0, units=10.0) * 10.0, pull(0.0), rtol=1e-5)


def test_the_deviation_is_fitted_to_the_error() -> None:
    def loss(log_std: jax.Array) -> jax.Array:
        return relative_step.loss(Gaussian(jnp.zeros((1, 2)), log_std), STEP, SHOWN)[0]

    at_error = jax.grad(loss)(jnp.log(jnp.abs(STEP)))
    np.testing.assert_allclose(at_error, 0.0, atol=1e-6)
    assert (jax.grad(loss)(jnp.full((1, 2), -6.0)) < 0).all()  # too sure: it widens


def test_a_feature_that_never_moves_has_a_finite_pull() -> None:
    still = jnp.zeros((3, 2))
    value = relative_step.loss(Gaussian(still, still), still + 0.1, still)
    assert jnp.isfinite(value).all()

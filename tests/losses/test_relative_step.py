"""An anchor whose pull knows neither the planner's deviation nor a feature's units."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depo.losses import relative_step
from depo.models.planner import Gaussian

STEPS = jnp.array([[1.0, 0.05], [-1.0, 0.15]])


def pull(log_std: float, units: float = 1.0) -> jax.Array:
    """The gradient on planned means, which begin as plans to stay."""

    def loss(mean: jax.Array) -> jax.Array:
        plan = Gaussian(mean, jnp.full((2, 2), log_std))
        return relative_step.loss(plan, units * STEPS).sum()

    return jax.grad(loss)(jnp.zeros((2, 2)))


@pytest.mark.parametrize("log_std", [-4.0, 0.0])
def test_the_pull_is_measured_by_steps_and_not_by_the_deviation(log_std: float) -> None:
    unit = np.mean(np.asarray(STEPS) ** 2, axis=0)
    np.testing.assert_allclose(pull(log_std), -np.asarray(STEPS) / unit / 2, rtol=1e-4)


def test_a_plan_missed_by_the_same_share_of_a_step_costs_the_same_in_any_units() -> None:
    np.testing.assert_allclose(pull(0.0, units=10.0) * 10.0, pull(0.0), rtol=1e-5)


def test_a_plan_to_stay_costs_half_and_an_exact_one_nothing() -> None:
    nothing = jnp.zeros((2, 2))  # σ = 1, whose logarithm is 0
    stay = relative_step.loss(Gaussian(nothing, nothing), STEPS)
    assert float(jnp.mean(stay)) == pytest.approx(0.5, rel=1e-5)
    np.testing.assert_allclose(relative_step.loss(Gaussian(STEPS, nothing), STEPS), 0.0, atol=1e-6)


def test_the_deviation_is_fitted_to_the_error() -> None:
    def loss(log_std: jax.Array) -> jax.Array:
        return relative_step.loss(Gaussian(jnp.zeros((2, 2)), log_std), STEPS).sum()

    at_error = jax.grad(loss)(jnp.log(jnp.abs(STEPS)))
    np.testing.assert_allclose(at_error, 0.0, atol=1e-6)
    assert (jax.grad(loss)(jnp.full((2, 2), -6.0)) < 0).all()  # too sure: it widens


def test_a_feature_that_never_moves_has_a_finite_pull() -> None:
    still = jnp.zeros((3, 2))
    assert jnp.isfinite(relative_step.loss(Gaussian(still + 0.1, still), still)).all()

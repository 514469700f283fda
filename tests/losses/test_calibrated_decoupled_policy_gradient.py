"""A likelihood of what was reached, weighted by its value."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depo.losses import (
    calibrated_decoupled_policy_gradient,
)
from depo.losses import calibrated_decoupled_policy_gradient as cdepg
from depo.models.planner import CategoricalPlanner
from tests.support.descent import minimise


def test_calibration_is_a_weighted_likelihood_of_what_was_reached() -> None:
    state, reached = jnp.zeros(3, int), jnp.array([1, 2, 2])
    weight = calibrated_decoupled_policy_gradient.weights(jnp.array([2.0, -1.0, 0.0]))
    np.testing.assert_allclose(weight, [3, 0, 1])
    planner = minimise(
        CategoricalPlanner(KEY, 3, (16,)),
        lambda p: calibrated_decoupled_policy_gradient.loss(p, state, reached, weight),
    )
    np.testing.assert_allclose(
        np.exp(planner.log_probabilities(jnp.array(0))), [0, 0.75, 0.25], atol=0.02
    )


KEY = jax.random.key(0)


@pytest.mark.parametrize("name", list(cdepg.WEIGHTS))
def test_weights_are_finite_and_not_negative_even_when_all_values_are_equal(name: str) -> None:
    for q in (jnp.full(8, 3.0), jnp.arange(8.0) - 4.0):
        weight = np.asarray(cdepg.WEIGHTS[name](q, q[::-1]))
        assert np.isfinite(weight).all()
        assert (weight >= 0).all()
    np.testing.assert_allclose(cdepg.min_max(jnp.array([2.0, 4.0, 3.0])), [0.0, 1.0, 0.5])


def test_a_weight_within_the_state_does_not_know_how_good_the_state_is() -> None:
    gain = jnp.array([0.5, -1.0, 0.0, -2.0])
    for state_value in (jnp.zeros(4), 100.0 * jnp.arange(4.0)):
        weight = cdepg.within_state(state_value + gain, state_value)
        np.testing.assert_allclose(weight, np.minimum(1, np.exp(gain / gain.std())), rtol=1e-3)

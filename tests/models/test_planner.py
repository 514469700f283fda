"""Planners score what they sample, and plan what they are told to."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from depo.models.normaliser import Normaliser
from depo.models.planner import CategoricalPlanner, GaussianPlanner, smooth_clip

KEY = jax.random.key(0)


def test_a_categorical_planner_is_a_distribution_it_samples_from() -> None:
    planner = CategoricalPlanner(KEY, 5, (16,))
    h = np.exp(planner.log_probabilities(jnp.arange(5)))
    np.testing.assert_allclose(h.sum(axis=1), 1, rtol=1e-5)
    draws = planner.sample(jnp.full(50_000, 2), jax.random.key(1))
    np.testing.assert_allclose(np.bincount(draws, minlength=5) / 50_000, h[2], atol=0.01)
    assert planner.mode(jnp.array(2)) == h[2].argmax()
    assert float(planner.log_prob(jnp.array(2), jnp.array(3))) == pytest.approx(
        np.log(h[2, 3]), rel=1e-5
    )


def gaussian(**changes) -> GaussianPlanner:
    arguments = {
        "normaliser": Normaliser(jnp.array([1.0, -2.0, 0.5]), jnp.array([2.0, 0.5, 10.0])),
        "hidden": (16, 16),
    }
    return GaussianPlanner(KEY, **(arguments | changes))


def test_a_gaussian_planner_scores_what_it_samples() -> None:
    planner = gaussian()
    state = jnp.array([0.3, -1.0, 4.0])
    draws = np.asarray(planner.sample(jnp.tile(state, (100_000, 1)), jax.random.key(2)))
    mode = np.asarray(planner.mode(state))
    assert (np.abs(draws.mean(axis=0) - mode) < 0.02 * np.asarray(planner.normaliser.scale)).all()
    deviation = draws.std(axis=0)
    target = jnp.asarray(mode + 0.7 * deviation)
    standardised = (np.asarray(target) - mode) / np.asarray(planner.normaliser.scale)
    expected = norm.logpdf(
        standardised, scale=deviation / np.asarray(planner.normaliser.scale)
    ).sum()
    assert float(planner.log_prob(state, target)) == pytest.approx(expected, abs=0.02)


def test_statistics_receive_no_gradient() -> None:
    planner = gaussian()
    loss = jax.grad(lambda p: p.log_prob(jnp.ones(3), jnp.zeros(3)) + p.mode(jnp.ones(3)).sum())
    gradient = loss(planner)
    assert (gradient.normaliser.mean == 0).all()
    assert (gradient.normaliser.scale == 0).all()
    assert any((w != 0).any() for w in gradient.network.weights)


def test_a_planner_may_plan_some_features_only() -> None:
    planner = gaussian(predicts=(2, 0))
    state = jnp.ones((4, 3))
    assert planner.mode(state).shape == (4, 2)
    still = eqx.tree_at(
        lambda p: p.network, planner, replace_fn=lambda n: jax.tree.map(jnp.zeros_like, n)
    )
    np.testing.assert_allclose(still.mode(jnp.array([1.0, 2.0, 3.0])), [3.0, 1.0])


def test_a_plan_of_one_in_step_units_is_a_typical_step() -> None:
    scale, step = jnp.array([2.0, 0.5, 10.0]), jnp.array([0.1, 1.0, 0.01])
    planner = gaussian(normaliser=Normaliser(jnp.zeros(3), scale, 20.0, step), predicts=(2, 0))
    state = jnp.array([0.3, -0.2, 4.0])
    reached = planner.reached(state, jnp.ones(2))
    np.testing.assert_allclose(reached, [4.0 + 0.1, 0.3 + 0.2], rtol=1e-5)
    np.testing.assert_allclose(planner.difference(state, reached), [1.0, 1.0], rtol=1e-4)


def test_smooth_bounds_hold_and_never_stop_learning() -> None:
    x = jnp.linspace(-12.0, 12.0, 49)
    y = np.asarray(smooth_clip(x, -5.0, -1.0))
    assert (np.diff(y) > 0).all()
    assert (y > -5.0).all()
    assert (y < -1.0 + 0.02).all()  # the two bounds are 4 apart: the upper one gives way by e⁻⁴
    assert y[24] == pytest.approx(-1.3, abs=0.05)  # a fresh planner begins near the upper one
    assert (jax.vmap(jax.grad(lambda v: smooth_clip(v, -5.0, -1.0)))(x) > 0).all()


def test_a_smooth_planner_learns_its_deviation_where_a_hard_one_cannot() -> None:
    def steepness(planner: GaussianPlanner) -> float:
        spread = jax.grad(lambda p: p.distribution(jnp.ones((4, 3))).log_std.sum())
        return float(sum(jnp.abs(w).sum() for w in spread(planner).network.weights))

    bounds = (-5.0, -2.0)
    assert steepness(gaussian(log_std_bounds=bounds)) == 0.0
    assert steepness(gaussian(log_std_bounds=bounds, smooth=True)) > 0.1

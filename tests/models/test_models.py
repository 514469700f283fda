from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from depo.evaluation.tables import policy_table
from depo.models.planner import CategoricalPlanner, GaussianPlanner
from depo.models.policy import CategoricalActor, DecoupledPolicy
from depo.models.skill import AnalyticSkill, CategoricalSkill, VectorSkill
from depo.models.standard import Standard

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
        "standard": Standard(jnp.array([1.0, -2.0, 0.5]), jnp.array([2.0, 0.5, 10.0])),
        "hidden": (16, 16),
    }
    return GaussianPlanner(KEY, **(arguments | changes))


def test_a_gaussian_planner_scores_what_it_samples() -> None:
    planner = gaussian()
    state = jnp.array([0.3, -1.0, 4.0])
    draws = np.asarray(planner.sample(jnp.tile(state, (100_000, 1)), jax.random.key(2)))
    mode = np.asarray(planner.mode(state))
    assert (np.abs(draws.mean(axis=0) - mode) < 0.02 * np.asarray(planner.standard.scale)).all()
    deviation = draws.std(axis=0)
    target = jnp.asarray(mode + 0.7 * deviation)
    standardised = (np.asarray(target) - mode) / np.asarray(planner.standard.scale)
    expected = norm.logpdf(standardised, scale=deviation / np.asarray(planner.standard.scale)).sum()
    assert float(planner.log_prob(state, target)) == pytest.approx(expected, abs=0.02)


def test_statistics_receive_no_gradient() -> None:
    planner = gaussian()
    loss = jax.grad(lambda p: p.log_prob(jnp.ones(3), jnp.zeros(3)) + p.mode(jnp.ones(3)).sum())
    gradient = loss(planner)
    assert (gradient.standard.mean == 0).all()
    assert (gradient.standard.scale == 0).all()
    assert any((w != 0).any() for w in gradient.network.weights)


def test_a_planner_may_plan_some_features_only() -> None:
    planner = gaussian(predicts=(2, 0))
    state = jnp.ones((4, 3))
    assert planner.mode(state).shape == (4, 2)
    still = eqx.tree_at(
        lambda p: p.network, planner, replace_fn=lambda n: jax.tree.map(jnp.zeros_like, n)
    )
    np.testing.assert_allclose(still.mode(jnp.array([1.0, 2.0, 3.0])), [3.0, 1.0])


def test_all_targets_at_once_equal_one_by_one() -> None:
    skill = CategoricalSkill(KEY, 6, 3, (16, 16))
    states = jnp.array([0, 5, 2])
    at_once = skill.towards_all(states)
    for target in range(6):
        single = skill.log_probabilities(states, jnp.full(3, target))
        np.testing.assert_allclose(at_once[:, target], single, rtol=1e-5, atol=1e-6)


def test_the_policy_table_is_the_marginal_over_plans() -> None:
    planner, skill = CategoricalPlanner(KEY, 70, (8,)), CategoricalSkill(KEY, 70, 3, (8,))
    table = policy_table(DecoupledPolicy(planner, skill), 70)
    h = np.exp(planner.log_probabilities(jnp.arange(70)))
    skills = np.exp(skill.towards_all(jnp.arange(70)))
    np.testing.assert_allclose(table.probabilities, np.einsum("sp,spa->sa", h, skills), rtol=1e-4)
    assert table.plan.tolist() == h.argmax(axis=1).tolist()


def test_an_actor_plans_nothing() -> None:
    table = policy_table(CategoricalActor(KEY, 4, 3, (8,)), 4)
    assert (table.plan == -1).all()
    np.testing.assert_allclose(table.probabilities.sum(axis=1), 1, rtol=1e-5)


def test_a_vector_policy_goes_where_an_analytic_skill_takes_it() -> None:
    policy = DecoupledPolicy(gaussian(), AnalyticSkill(lambda state, target: target - state))
    state = jnp.ones((2, 3))
    decision = policy.mode(state)
    np.testing.assert_allclose(state + decision.action, decision.plan, rtol=1e-5)
    assert policy.sample(state, KEY).action.shape == (2, 3)


def test_a_vector_skill_stays_in_bounds_and_its_noise_is_before_the_tanh() -> None:
    skill = VectorSkill(KEY, Standard.none(3), 2, (16,), noise=0.3)
    state, target = jnp.ones((20_000, 3)), jnp.zeros((20_000, 3))
    actions = np.asarray(skill.sample(state, target, KEY))
    assert np.abs(actions).max() < 1
    before = np.arctanh(actions)
    np.testing.assert_allclose(before.std(axis=0), 0.3, rtol=0.03)
    np.testing.assert_allclose(
        np.tanh(before.mean(axis=0)), skill.mode(state, target)[0], atol=0.01
    )

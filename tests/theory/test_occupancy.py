"""Propositions 1 and 2 and the redundant-action theorem on random MDPs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depo.theory.finite_mdp import FiniteMDP
from depo.theory.occupancy import (
    inverse_dynamics,
    joint_occupancy,
    js_divergence,
    kl_divergence,
    occupancy_of_planner,
    planner_of_occupancy,
    state_action_occupancy,
    state_occupancy,
    total_variation,
    transition_occupancy,
)
from tests.support.probabilities import simplex


@st.composite
def problems(draw: st.DrawFn) -> tuple[FiniteMDP, np.ndarray, np.random.Generator]:
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    states, actions = draw(st.integers(2, 7)), draw(st.integers(2, 5))
    zeros = draw(st.sampled_from([0.0, 0.6]))
    mdp = FiniteMDP(
        transitions=simplex(generator, states, actions, states, zeros=zeros),
        start=simplex(generator, states, zeros=zeros),
        gamma=draw(st.sampled_from([0.0, 0.5, 0.9, 0.99])),
    )
    return mdp, simplex(generator, states, actions, zeros=zeros), generator


@given(problems())
def test_measures_are_consistent_and_sum_to_one_over_one_minus_gamma(problem) -> None:
    mdp, policy, _ = problem
    joint = joint_occupancy(mdp, policy)
    np.testing.assert_allclose(joint.sum(), 1 / (1 - mdp.gamma))
    np.testing.assert_allclose(joint.sum(axis=2), state_action_occupancy(mdp, policy), atol=1e-12)
    np.testing.assert_allclose(joint.sum(axis=1), transition_occupancy(mdp, policy), atol=1e-12)
    states = state_occupancy(mdp.under(policy), mdp.start, mdp.gamma)
    np.testing.assert_allclose(joint.sum(axis=(1, 2)), states, atol=1e-12)


@given(problems())
def test_the_measure_is_the_discounted_sum_over_time(problem) -> None:
    mdp, policy, _ = problem
    chain, distribution, total = mdp.under(policy), mdp.start, np.zeros(mdp.states)
    for t in range(60):
        total += mdp.gamma**t * distribution
        distribution = distribution @ chain
    rest = mdp.gamma**60 / (1 - mdp.gamma)
    exact = state_occupancy(chain, mdp.start, mdp.gamma)
    assert np.abs(exact - total).sum() <= rest + 1e-9


@given(problems())
def test_proposition_1_the_flow_equation_has_just_this_solution(problem) -> None:
    """ρ(s,s') = ρ₀(s)P(s'|s) + γ P(s'|s) Σ_s̃ ρ(s̃,s), solved in (s,s') without using ρ(s)."""
    mdp, policy, _ = problem
    chain, n = mdp.under(policy), mdp.states
    matrix = np.eye(n * n)
    for s in range(n):
        for p in range(n):
            for before in range(n):
                matrix[s * n + p, before * n + s] -= mdp.gamma * chain[s, p]
    assert abs(np.linalg.det(matrix)) > 0
    solution = np.linalg.solve(matrix, (mdp.start[:, None] * chain).ravel()).reshape(n, n)
    np.testing.assert_allclose(solution, transition_occupancy(mdp, policy), atol=1e-9)


@given(problems())
def test_proposition_1_redundant_actions_let_policies_share_an_occupancy(problem) -> None:
    mdp, _, generator = problem
    mix = simplex(generator, mdp.actions)
    redundant = np.einsum("a,sap->sp", mix, mdp.transitions)[:, None]
    larger = FiniteMDP(np.concatenate([mdp.transitions, redundant], 1), mdp.start, mdp.gamma)
    first = np.concatenate([np.zeros((mdp.states, mdp.actions)), np.ones((mdp.states, 1))], 1)
    second = np.concatenate([np.tile(mix, (mdp.states, 1)), np.zeros((mdp.states, 1))], 1)
    assert not np.allclose(first, second)
    np.testing.assert_allclose(
        transition_occupancy(larger, first), transition_occupancy(larger, second), atol=1e-10
    )


@given(problems())
def test_proposition_2_planner_and_occupancy_determine_each_other(problem) -> None:
    mdp, policy, _ = problem
    planner = mdp.under(policy)
    occupancy = transition_occupancy(mdp, policy)
    recovered = planner_of_occupancy(occupancy)
    visited = state_occupancy(planner, mdp.start, mdp.gamma) > 1e-14
    np.testing.assert_allclose(recovered[visited], planner[visited], atol=1e-9)
    filled = np.where(np.isnan(recovered), 1 / mdp.states, recovered)
    np.testing.assert_allclose(
        occupancy_of_planner(filled, mdp.start, mdp.gamma), occupancy, atol=1e-8
    )


@given(problems())
def test_different_planners_on_visited_states_have_different_occupancies(problem) -> None:
    mdp, policy, generator = problem
    other = simplex(generator, mdp.states, mdp.actions)
    first, second = (transition_occupancy(mdp, p) for p in (policy, other))
    same = np.allclose(first, second, atol=1e-12)
    visited = (first.sum(axis=1) > 1e-9) & (second.sum(axis=1) > 1e-9)
    if same:
        np.testing.assert_allclose(mdp.under(policy)[visited], mdp.under(other)[visited], atol=1e-5)


@given(problems())
def test_planner_and_inverse_dynamics_make_up_the_policy(problem) -> None:
    """π(a|s) = Σ_s' h(s'|s) I_π(a|s,s')."""
    mdp, policy, _ = problem
    skill = np.nan_to_num(inverse_dynamics(mdp, policy))
    again = np.einsum("sp,spa->sa", mdp.under(policy), skill)
    np.testing.assert_allclose(again, policy, atol=1e-12)


@given(problems())
def test_any_skill_over_equivalent_actions_keeps_occupancy_and_value(problem) -> None:
    """The redundant-action theorem: swap the distribution over actions with the same effect."""
    mdp, _, generator = problem
    n = mdp.states
    targets = generator.integers(n, size=(n, 2))
    transitions = np.zeros((n, 4, n))
    for s in range(n):
        for a in range(4):
            transitions[s, a, targets[s, a // 2]] = 1.0
    doubled = FiniteMDP(transitions, mdp.start, mdp.gamma)
    reward = generator.normal(size=(n, n))
    best = doubled.optimal_policy(reward)
    group = best.reshape(n, 2, 2).sum(axis=2)
    shares = simplex(generator, n, 2, 2)
    swapped = (group[:, :, None] * shares).reshape(n, 4)
    np.testing.assert_allclose(
        doubled.values(best, reward), doubled.values(swapped, reward), atol=1e-9
    )
    np.testing.assert_allclose(
        transition_occupancy(doubled, best), transition_occupancy(doubled, swapped), atol=1e-9
    )


@given(problems())
def test_policy_iteration_is_not_beaten_by_random_policies(problem) -> None:
    mdp, policy, generator = problem
    reward = generator.normal(size=(mdp.states, mdp.states))
    best = mdp.values(mdp.optimal_policy(reward), reward)
    assert (best >= mdp.values(policy, reward) - 1e-8).all()


def test_a_broken_policy_never_looks_like_a_perfect_one() -> None:
    broken, whole = np.array([np.nan, np.nan]), np.array([0.5, 0.5])
    assert np.isnan(js_divergence(broken, whole))
    assert np.isnan(kl_divergence(whole, broken))


def test_a_denormal_probability_does_not_make_the_divergence_infinite() -> None:
    assert js_divergence(np.array([1.0, 5e-324]), np.array([1.0, 0.0])) == 0.0


def test_divergences_on_known_pairs() -> None:
    p, q = np.array([0.5, 0.5, 0.0]), np.array([0.5, 0.0, 0.5])
    assert js_divergence(p, p) == 0
    assert js_divergence(p, q) == pytest.approx(0.5 * np.log(2))
    assert kl_divergence(p, q) == np.inf
    assert total_variation(p, q) == pytest.approx(0.5)

"""What imitation from states leaves out, against every path written down."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depo.theory.finite_mdp import FiniteMDP
from depo.theory.inverse_dynamics_disagreement import (
    gap_to_actions,
    inverse_dynamics_disagreement,
    occupancy_entropies,
)
from tests.support.probabilities import simplex

Problem = tuple[FiniteMDP, np.ndarray, np.ndarray]


@st.composite
def problems(draw: st.DrawFn, deterministic: bool = False) -> Problem:
    """An environment and two policies that take every action."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    states, actions = draw(st.integers(2, 4)), draw(st.integers(2, 4))
    transitions = simplex(generator, states, actions, states)
    if deterministic:
        transitions = np.eye(states)[generator.integers(states, size=(states, actions))]
    gamma = draw(st.sampled_from([0.0, 0.5, 0.9]))
    mdp = FiniteMDP(transitions, simplex(generator, states), gamma)
    return mdp, simplex(generator, states, actions), simplex(generator, states, actions)


def by_paths(mdp: FiniteMDP, policy: np.ndarray, length: int) -> dict[tuple[int, int, int], float]:
    """(1−γ) Σ_t γᵗ P(s_t, a_t, s_{t+1}), by walking along every path."""
    found: dict[tuple[int, int, int], float] = {}

    def walk(state: int, weight: float, left: int) -> None:
        if not left or not weight:
            return
        for action, after in itertools.product(range(mdp.actions), range(mdp.states)):
            share = weight * policy[state, action] * mdp.transitions[state, action, after]
            step = (state, action, after)
            found[step] = found.get(step, 0.0) + (1 - mdp.gamma) * share
            walk(after, mdp.gamma * share, left - 1)

    for state in range(mdp.states):
        walk(state, float(mdp.start[state]), length)
    return found


def disagreement_by_paths(mdp: FiniteMDP, policy: np.ndarray, expert: np.ndarray) -> float:
    own, theirs = (by_paths(mdp, each, length=6) for each in (policy, expert))

    def skill(steps: dict[tuple[int, int, int], float], s: int, a: int, after: int) -> float:
        return steps[s, a, after] / sum(steps[s, b, after] for b in range(mdp.actions))

    return sum(p * np.log(skill(own, *step) / skill(theirs, *step)) for step, p in own.items())


def test_the_disagreement_is_that_of_every_path() -> None:
    generator = np.random.default_rng(0)
    mdp = FiniteMDP(simplex(generator, 2, 2, 2), simplex(generator, 2), gamma=0.05)
    policy, expert = simplex(generator, 2, 2), simplex(generator, 2, 2)
    exact = inverse_dynamics_disagreement(mdp, policy, expert)
    assert exact > 0.01
    assert disagreement_by_paths(mdp, policy, expert) == pytest.approx(exact, rel=1e-6)


@given(problems())
def test_it_is_the_gap_between_imitation_with_actions_and_from_states(problem: Problem) -> None:
    mdp, policy, expert = problem
    with_actions, of_states = gap_to_actions(mdp, policy, expert)
    found = inverse_dynamics_disagreement(mdp, policy, expert)
    assert found == pytest.approx(with_actions - of_states, abs=1e-9)
    assert inverse_dynamics_disagreement(mdp, policy, policy) == pytest.approx(0, abs=1e-12)


@given(problems(deterministic=True))
def test_deterministic_dynamics_leave_entropies(problem: Problem) -> None:
    mdp, policy, expert = problem
    joint = policy[:, :, None] * mdp.transitions
    visits = by_visits(mdp, policy)
    pairs = visits[:, None] * joint.sum(axis=1)
    theirs = expert[:, :, None] * mdp.transitions
    skill = np.divide(theirs, theirs.sum(axis=1, keepdims=True), where=theirs > 0, out=theirs * 0)
    done = joint > 0
    expected = -np.sum((visits[:, None, None] * joint)[done] * np.log(skill[done]))
    expected -= np.sum(pairs[pairs > 0] * np.log(pairs[pairs > 0])) + sum(
        occupancy_entropies(mdp, policy)
    )
    found = inverse_dynamics_disagreement(mdp, policy, expert)
    assert found == pytest.approx(expected, abs=1e-9)


def by_visits(mdp: FiniteMDP, policy: np.ndarray) -> np.ndarray:
    """(1−γ) Σ_t γᵗ P(s_t), added up."""
    chain = np.einsum("sa,sap->sp", policy, mdp.transitions)
    now, total = mdp.start.copy(), np.zeros(mdp.states)
    for t in range(400):
        total += (1 - mdp.gamma) * mdp.gamma**t * now
        now = now @ chain
    return total


def test_an_action_that_the_expert_never_takes_is_infinitely_far() -> None:
    mdp = FiniteMDP(np.stack([np.eye(2)[::-1]] * 2, axis=1), np.array([1.0, 0.0]), 0.5)
    one, both = np.array([[1.0, 0.0]] * 2), np.full((2, 2), 0.5)
    assert inverse_dynamics_disagreement(mdp, both, one) == np.inf

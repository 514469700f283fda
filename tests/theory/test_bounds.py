"""The error bounds as measured quantities: they hold, and are not vacuous."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from depo.theory.bounds import bco_error_bound, decoupled_error_bound, random_lipschitz_problem


def problem_with_errors(seed: int, planner_noise: float, skill_noise: float):
    generator = np.random.default_rng(seed)
    problem = random_lipschitz_problem(generator)
    states = generator.normal(size=(200, 3))
    shift = generator.normal(size=(3, 2)) * planner_noise
    bias = generator.normal(size=2) * skill_noise

    def planner(s: np.ndarray) -> np.ndarray:  # reachable: the expert's action, moved
        action = problem.inverse(s, problem.expert(s)) + np.sin(s @ shift)
        return problem.dynamics(s, action)

    def skill(s: np.ndarray, target: np.ndarray) -> np.ndarray:
        return problem.inverse(s, target) + bias * np.cos(s[:, :1])

    return problem, planner, skill, states


@given(st.integers(0, 2**32 - 1), st.floats(0, 1), st.floats(0, 1))
def test_the_decoupled_bound_holds(seed: int, planner_noise: float, skill_noise: float) -> None:
    problem, planner, skill, states = problem_with_errors(seed, planner_noise, skill_noise)
    bound = decoupled_error_bound(problem, planner, skill, states)
    assert (bound.error <= bound.bound + 1e-9).all()


@given(st.integers(0, 2**32 - 1), st.floats(0, 1), st.floats(0, 1))
def test_the_bco_bound_holds(seed: int, cloning_noise: float, skill_noise: float) -> None:
    problem, _, skill, states = problem_with_errors(seed, 0.0, skill_noise)
    generator = np.random.default_rng(seed)
    wrong = generator.normal(size=2) * cloning_noise

    def policy(s: np.ndarray) -> np.ndarray:
        return skill(s, problem.expert(s)) + wrong

    bound = bco_error_bound(problem, policy, skill, states)
    assert (bound.error <= bound.bound + 1e-9).all()


@given(st.integers(0, 2**32 - 1))
def test_the_inverse_inverts_and_no_error_means_no_bound(seed: int) -> None:
    problem, planner, skill, states = problem_with_errors(seed, 0.0, 0.0)
    np.testing.assert_allclose(
        problem.dynamics(states, problem.inverse(states, problem.expert(states))),
        problem.expert(states),
        atol=1e-9,
    )
    bound = decoupled_error_bound(problem, planner, skill, states)
    assert bound.bound.max() < 1e-8


def test_the_bounds_say_something() -> None:
    """Tightness over many problems: error is a sizeable part of the bound, not a millionth."""
    tight = []
    for seed in range(50):
        problem, planner, skill, states = problem_with_errors(seed, 0.3, 0.3)
        tight.append(decoupled_error_bound(problem, planner, skill, states).tightness)
    assert 0.05 < np.mean(tight) < 1.0
    assert max(tight) <= 1.0


def test_constants_are_respected_by_samples() -> None:
    for seed in range(20):
        generator = np.random.default_rng(seed)
        problem = random_lipschitz_problem(generator)
        s = generator.normal(size=(500, 3))
        a, b = generator.normal(size=(2, 500, 2)) * 3
        moved = np.linalg.norm(problem.dynamics(s, a) - problem.dynamics(s, b), axis=1)
        apart = np.linalg.norm(a - b, axis=1)
        assert (moved <= problem.lipschitz_dynamics * apart + 1e-9).all()
        assert (apart <= problem.lipschitz_inverse * moved + 1e-9).all()

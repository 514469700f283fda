"""The paper's one-step error bounds as measured quantities.

For T L-Lipschitz in a and the true inverse I* C-Lipschitz in s', and ŝ' = h_ψ(s) reachable:

    decoupled:  ‖T(s, I_φ(s, ŝ')) − s'_E‖ ≤ L·C·‖h_E(s) − h_ψ(s)‖ + L·‖I*(s, ŝ') − I_φ(s, ŝ')‖
    BCO:        ‖T(s, π_ψ(s)) − s'_E‖ ≤ L·‖π_ψ(s) − I_φ(s, s'_E)‖ + L·‖I*(s, s'_E) − I_φ(s, s'_E)‖
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

States = Float64[np.ndarray, "samples dimension"]
Numbers = Float64[np.ndarray, " samples"]


@dataclass(frozen=True, eq=False)
class LipschitzProblem:
    """Deterministic dynamics T(s,a) with its true inverse I*(s,s') and their constants."""

    dynamics: Callable[[np.ndarray, np.ndarray], np.ndarray]
    inverse: Callable[[np.ndarray, np.ndarray], np.ndarray]
    lipschitz_dynamics: float
    lipschitz_inverse: float
    expert: Callable[[np.ndarray], np.ndarray]
    """h_E(s): where the expert goes, reachable from every s."""


@dataclass(frozen=True, eq=False)
class ErrorBound:
    """Per state: the distance to where the expert went, and the two terms that bound it."""

    error: Numbers
    first_term: Numbers
    second_term: Numbers

    @property
    def bound(self) -> Numbers:
        """The right-hand side."""
        return self.first_term + self.second_term

    @property
    def tightness(self) -> float:
        """Mean error over mean bound: 1 would be an exact bound."""
        return float(self.error.mean() / max(self.bound.mean(), 1e-300))


def decoupled_error_bound(
    problem: LipschitzProblem,
    planner: Callable[[np.ndarray], np.ndarray],
    skill: Callable[[np.ndarray, np.ndarray], np.ndarray],
    states: States,
) -> ErrorBound:
    """First term: planner error through L·C. Second: skill error at the planned state."""
    expert, plan = problem.expert(states), planner(states)
    reached = problem.dynamics(states, skill(states, plan))
    slope, inverse_slope = problem.lipschitz_dynamics, problem.lipschitz_inverse
    skill_error = _norm(problem.inverse(states, plan) - skill(states, plan))
    return ErrorBound(
        error=_norm(reached - expert),
        first_term=slope * inverse_slope * _norm(expert - plan),
        second_term=slope * skill_error,
    )


def bco_error_bound(
    problem: LipschitzProblem,
    policy: Callable[[np.ndarray], np.ndarray],
    skill: Callable[[np.ndarray, np.ndarray], np.ndarray],
    states: States,
) -> ErrorBound:
    """First term: cloning error against the labels. Second: skill error at the expert's state."""
    expert, action = problem.expert(states), policy(states)
    label = skill(states, expert)
    slope = problem.lipschitz_dynamics
    return ErrorBound(
        error=_norm(problem.dynamics(states, action) - expert),
        first_term=slope * _norm(action - label),
        second_term=slope * _norm(problem.inverse(states, expert) - label),
    )


def random_lipschitz_problem(
    generator: np.random.Generator, *, dimension: int = 3, actions: int = 2
) -> LipschitzProblem:
    """T(s,a) = f(s) + B·u(a), u(a) = a + ½ sin a: invertible on its image, constants known.

    u' lies in [½, 3/2], so L = 1.5·σ_max(B), C = 2/σ_min(B) on the reachable set f(s) + B·ℝᵐ.
    """
    drift = generator.normal(size=(dimension, dimension)) / np.sqrt(dimension)
    basis, _ = np.linalg.qr(generator.normal(size=(dimension, actions)))
    scales = generator.uniform(0.5, 2.0, size=actions)
    effect = basis * scales
    preference = generator.normal(size=(actions, dimension)) / np.sqrt(dimension)

    def stretch(action: np.ndarray) -> np.ndarray:
        return action + 0.5 * np.sin(action)

    def dynamics(states: np.ndarray, action: np.ndarray) -> np.ndarray:
        return np.tanh(states @ drift.T) + stretch(action) @ effect.T

    def inverse(states: np.ndarray, target: np.ndarray) -> np.ndarray:
        wanted = ((target - np.tanh(states @ drift.T)) @ basis) / scales
        action = wanted
        for _ in range(80):  # contraction: |½ cos| ≤ ½
            action = wanted - 0.5 * np.sin(action)
        return action

    def expert(states: np.ndarray) -> np.ndarray:
        return dynamics(states, np.tanh(states @ preference.T))

    return LipschitzProblem(
        dynamics=dynamics,
        inverse=inverse,
        lipschitz_dynamics=1.5 * float(scales.max()),
        lipschitz_inverse=2.0 / float(scales.min()),
        expert=expert,
    )


def _norm(vectors: np.ndarray) -> Numbers:
    return np.linalg.norm(vectors, axis=-1)

"""The least divergence any policy can reach, with a certificate.

The occupancy measures ρ(s,s') of an MDP form a polytope and JS(ρ, ρ_E) is convex in ρ, so
Frank-Wolfe finds its minimum: the linear problem over the polytope is an MDP with reward
−∂JS/∂ρ, solved exactly by policy iteration. The duality gap bounds the distance to the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from depo.theory.finite_mdp import FiniteMDP
from depo.theory.occupancy import Chain, js_divergence, transition_occupancy


@dataclass(frozen=True)
class Floor:
    """The minimum lies between ``value - gap`` and ``value``."""

    value: float
    gap: float

    @property
    def certified(self) -> float:
        """What no policy gets below."""
        return max(0.0, self.value - self.gap)


def divergence_floor(
    mdp: FiniteMDP, expert: Chain, *, tolerance: float = 1e-3, iterations: int = 4000
) -> Floor:
    """min over policies of JS(ρ_π, ρ_E) when the agent starts from ``mdp.start``."""
    target = expert / expert.sum()
    uniform = np.full((mdp.states, mdp.actions), 1.0 / mdp.actions)
    current = _normalised(mdp, uniform)
    gap = np.inf
    for _ in range(iterations):
        gradient = _js_gradient(current, target)
        corner = _normalised(mdp, mdp.optimal_policy(-gradient))
        gap = float(np.sum(gradient * (current - corner)))
        if gap < tolerance:
            break
        step = _best_step(current, corner, target)
        current = (1 - step) * current + step * corner
    return Floor(value=js_divergence(current, target), gap=max(gap, 0.0))


def _normalised(mdp: FiniteMDP, policy: np.ndarray) -> Chain:
    return transition_occupancy(mdp, policy) * (1.0 - mdp.gamma)


def _js_gradient(p: Chain, q: Chain) -> Chain:
    """∂JS/∂p = ½ log(2p / (p + q)), the finite limit ½ log 2 where q = 0."""
    tiny = 1e-12
    return 0.5 * np.log(2 * np.maximum(p, tiny) / np.maximum(p + q, tiny))


def _best_step(start: Chain, end: Chain, target: Chain) -> float:
    """Golden-section search of the convex JS along the segment."""
    ratio = (np.sqrt(5.0) - 1) / 2
    low, high = 0.0, 1.0
    for _ in range(40):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        mix = [js_divergence((1 - t) * start + t * end, target) for t in (left, right)]
        low, high = (low, right) if mix[0] < mix[1] else (left, high)
    return float((low + high) / 2)

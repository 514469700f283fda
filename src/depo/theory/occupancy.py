"""Occupancy measures of finite MDPs, exactly (float64).

ρ(s) = Σ_t γᵗ P(s_t = s) solves (I − γPᵀ) ρ = ρ₀. From it ρ(s,a) = π(a|s) ρ(s),
ρ(s,a,s') = ρ(s,a) T(s'|s,a) and ρ(s,s') = Σ_a ρ(s,a,s'). The measures sum to 1/(1−γ);
multiplied by 1−γ they are distributions, which is what divergences compare.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64

from depo.theory.finite_mdp import FiniteMDP

SMALLEST = 1e-300
Policy = Float64[np.ndarray, "states actions"]
Chain = Float64[np.ndarray, "states states"]


def state_occupancy(
    chain: Chain, start: Float64[np.ndarray, " states"], gamma: float
) -> Float64[np.ndarray, " states"]:
    """ρ(s) of a Markov chain P(s'|s).

    >>> flip = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> state_occupancy(flip, np.array([1.0, 0.0]), 0.5).round(3).tolist()
    [1.333, 0.667]
    """
    return np.linalg.solve(np.eye(len(start)) - gamma * chain.T, start)


def state_action_occupancy(mdp: FiniteMDP, policy: Policy) -> Policy:
    """ρ(s,a) = π(a|s) ρ(s)."""
    return policy * state_occupancy(mdp.under(policy), mdp.start, mdp.gamma)[:, None]


def joint_occupancy(mdp: FiniteMDP, policy: Policy) -> Float64[np.ndarray, "states actions states"]:
    """ρ(s,a,s') = ρ(s,a) T(s'|s,a)."""
    return state_action_occupancy(mdp, policy)[:, :, None] * mdp.transitions


def transition_occupancy(mdp: FiniteMDP, policy: Policy) -> Chain:
    """ρ(s,s') = Σ_a ρ(s,a) T(s'|s,a)."""
    return occupancy_of_planner(mdp.under(policy), mdp.start, mdp.gamma)


def occupancy_of_planner(
    planner: Chain, start: Float64[np.ndarray, " states"], gamma: float
) -> Chain:
    """ρ(s,s') = ρ(s) h(s'|s) of the process that always goes where the planner says."""
    return state_occupancy(planner, start, gamma)[:, None] * planner


def planner_of_occupancy(occupancy: Chain) -> Chain:
    """h(s'|s) = ρ(s,s') / Σ_s̃ ρ(s,s̃) where ρ(s) > 0; elsewhere undefined, given as NaN."""
    visits = occupancy.sum(axis=1, keepdims=True)
    return np.divide(occupancy, visits, out=np.full_like(occupancy, np.nan), where=visits > 0)


def inverse_dynamics(
    mdp: FiniteMDP, policy: Policy
) -> Float64[np.ndarray, "states states actions"]:
    """I_π(a|s,s') = ρ(s,a,s') / ρ(s,s'), NaN where the transition is never made."""
    joint = np.swapaxes(policy[:, :, None] * mdp.transitions, 1, 2)
    total = joint.sum(axis=2, keepdims=True)
    return np.divide(joint, total, out=np.full_like(joint, np.nan), where=total > 0)


def kl_divergence(p: np.ndarray, q: np.ndarray) -> float:
    """Σ p log(p/q) of two distributions, infinite where p > 0 = q."""
    p, q = p.ravel(), q.ravel()
    support = p > 0
    if np.isnan(p).any() or np.isnan(q).any():
        return float("nan")  # never zero: a broken policy must not look like a perfect one
    with np.errstate(divide="ignore"):
        return float(np.sum(p[support] * (np.log(p[support]) - np.log(q[support]))))


def js_divergence(p: np.ndarray, q: np.ndarray) -> float:
    """Jensen-Shannon divergence in nats, between 0 and log 2.

    >>> round(js_divergence(np.array([1.0, 0.0]), np.array([0.0, 1.0])), 4)
    0.6931
    """
    p, q = (np.where(x < SMALLEST, 0.0, x) for x in (p, q))  # half a denormal would be zero
    middle = (p + q) / 2
    divergence = (kl_divergence(p, middle) + kl_divergence(q, middle)) / 2
    return divergence if np.isnan(divergence) else max(0.0, divergence)


def total_variation(p: np.ndarray, q: np.ndarray) -> float:
    """Half the summed absolute difference, between 0 and 1."""
    return float(np.abs(p - q).sum() / 2)


def imitation_divergence(mdp: FiniteMDP, policy: Policy, expert: Chain) -> float:
    """Exact JS divergence between the policy's transition occupancy and the expert's ρ(s,s')."""
    own = transition_occupancy(mdp, policy)
    return js_divergence(own / own.sum(), expert / expert.sum())

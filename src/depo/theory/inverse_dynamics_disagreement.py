"""How far the inverse dynamics of two policies disagree, exactly (Yang et al., 2019).

    IDD(π, E) = KL(ρ_π(a|s,s') ‖ ρ_E(a|s,s')) = Σ ρ_π(s,a,s') log( I_π(a|s,s') / I_E(a|s,s') )

It is all that imitation from states leaves out: where both act in the same environment

    KL(ρ_π(s,a) ‖ ρ_E(s,a)) = KL(ρ_π(s,s') ‖ ρ_E(s,s')) + IDD(π, E)

IDDM lessens it by entropy: where the dynamics are deterministic

    IDD(π, E) = H(ρ_π(s,s')) − H(ρ_π(s,a)) − E_π[log I_E(a|s,s')]
"""

from __future__ import annotations

import numpy as np

from depo.theory.finite_mdp import FiniteMDP
from depo.theory.occupancy import (
    Policy,
    inverse_dynamics,
    joint_occupancy,
    kl_divergence,
    state_action_occupancy,
    state_occupancy,
    transition_occupancy,
)


def inverse_dynamics_disagreement(mdp: FiniteMDP, policy: Policy, expert: Policy) -> float:
    """IDD(π, E) in nats; infinite where π does what E never does between the same states.

    >>> twice = np.stack([np.eye(2)[::-1]] * 2, axis=1)  # two actions that do the same
    >>> mdp = FiniteMDP(twice, np.array([1.0, 0.0]), 0.5)
    >>> one, both = np.array([[1.0, 0.0]] * 2), np.full((2, 2), 0.5)
    >>> round(inverse_dynamics_disagreement(mdp, one, both), 4)
    0.6931
    """
    joint = np.swapaxes(joint_occupancy(mdp, policy), 1, 2) * (1.0 - mdp.gamma)
    own, theirs = (inverse_dynamics(mdp, each) for each in (policy, expert))
    done = joint > 0
    if np.isnan(theirs[done]).any():
        return float("inf")  # a transition that the expert never makes
    with np.errstate(divide="ignore"):
        return float(np.sum(joint[done] * (np.log(own[done]) - np.log(theirs[done]))))


def gap_to_actions(mdp: FiniteMDP, policy: Policy, expert: Policy) -> tuple[float, float]:
    """KL of ρ(s,a), which imitation with actions lessens, and KL of ρ(s,s'), which imitation from
    states does: the first less the second is the disagreement."""
    share = 1.0 - mdp.gamma
    with_actions, of_states = (
        kl_divergence(occupancy(mdp, policy) * share, occupancy(mdp, expert) * share)
        for occupancy in (state_action_occupancy, transition_occupancy)
    )
    return with_actions, of_states


def occupancy_entropies(mdp: FiniteMDP, policy: Policy) -> tuple[float, float]:
    """H(ρ_π(s)), and H(π) = E_{ρ_π}[H(π(·|s))]: their sum is H(ρ_π(s,a)), which IDDM raises."""
    visits = state_occupancy(mdp.under(policy), mdp.start, mdp.gamma) * (1.0 - mdp.gamma)
    return _entropy(visits), _entropy(policy * visits[:, None]) - _entropy(visits)


def _entropy(p: np.ndarray) -> float:
    known = p[p > 0]
    return float(-np.sum(known * np.log(known)))

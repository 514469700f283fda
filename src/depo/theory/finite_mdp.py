"""A finite Markov decision process as float64 arrays, and what a policy does in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64


@dataclass(frozen=True, eq=False)
class FiniteMDP:
    """Transitions T(s'|s,a), start distribution ρ₀ and discount γ.

    Terminal states are absorbing, so every policy has a proper occupancy measure.
    """

    transitions: Float64[np.ndarray, "states actions states"]
    start: Float64[np.ndarray, " states"]
    gamma: float

    @property
    def states(self) -> int:
        """How many states there are."""
        return self.transitions.shape[0]

    @property
    def actions(self) -> int:
        """How many actions there are."""
        return self.transitions.shape[1]

    def under(
        self, policy: Float64[np.ndarray, "states actions"]
    ) -> Float64[np.ndarray, "states states"]:
        """P(s'|s) = Σ_a π(a|s) T(s'|s,a): the chain a policy makes, which is its planner h."""
        return np.einsum("sa,sap->sp", policy, self.transitions)

    def starting_from(self, start: Float64[np.ndarray, " states"]) -> FiniteMDP:
        """The same process with another start distribution."""
        return FiniteMDP(self.transitions, start, self.gamma)

    def reachable(self) -> Bool[np.ndarray, "states states"]:
        """Where some action leads: a plan s' is legal in s if this is true."""
        return self.transitions.max(axis=1) > 0

    def values(
        self,
        policy: Float64[np.ndarray, "states actions"],
        reward: Float64[np.ndarray, "states states"],
    ) -> Float64[np.ndarray, " states"]:
        """V(s) of a policy for a reward r(s,s'), by solving (I − γP) V = Σ_s' P r."""
        chain = self.under(policy)
        expected = (chain * reward).sum(axis=1)
        return np.linalg.solve(np.eye(self.states) - self.gamma * chain, expected)

    def action_values(
        self,
        values: Float64[np.ndarray, " states"],
        reward: Float64[np.ndarray, "states states"],
    ) -> Float64[np.ndarray, "states actions"]:
        """Q(s,a) = Σ_s' T(s'|s,a) (r(s,s') + γ V(s'))."""
        return np.einsum("sap,sp->sa", self.transitions, reward + self.gamma * values)

    def optimal_policy(
        self, reward: Float64[np.ndarray, "states states"]
    ) -> Float64[np.ndarray, "states actions"]:
        """A deterministic optimal policy for r(s,s'), by policy iteration."""
        rows = np.arange(self.states)
        choice = np.zeros(self.states, int)
        while True:
            policy = np.zeros((self.states, self.actions))
            policy[rows, choice] = 1.0
            q = self.action_values(self.values(policy, reward), reward)
            better = q.max(axis=1) > q[rows, choice] + 1e-10 * (1.0 + np.abs(q).max())
            if not better.any():
                return policy
            choice = np.where(better, q.argmax(axis=1), choice)

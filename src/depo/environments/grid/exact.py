"""Exact scores of a policy in a finite deterministic world, float64, no rollouts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float64, Int

from depo.data.demonstrations import Demonstrations
from depo.environments.grid.gridworld import GridWorld
from depo.environments.tabular import TabularEnvironment
from depo.evaluation.evaluator import Scores
from depo.evaluation.rollouts import stack_seeds
from depo.evaluation.tables import PolicyTable, policy_tables, split_seeds
from depo.models.policy import PolicyModel
from depo.models.skill import Skill
from depo.theory.finite_mdp import FiniteMDP
from depo.theory.floor import Floor, divergence_floor
from depo.theory.occupancy import imitation_divergence, occupancy_of_planner


@dataclass(frozen=True, eq=False)
class ExactEvaluator:
    """Scores in one grid world against one set of demonstrations."""

    world: GridWorld
    environment: TabularEnvironment
    demos: Demonstrations
    gamma: float

    chosen_by = ""

    def __call__(self, policies: Sequence[PolicyModel], skills: Sequence[Skill | None]) -> Scores:
        """The scores of every seed's policy."""
        del skills
        tables = policy_tables(stack_seeds(policies), self.world.states)
        return [self.of_table(table) for table in split_seeds(tables)]

    def close(self) -> None:
        """Nothing to close."""

    def of_table(self, table: PolicyTable) -> dict[str, float]:
        """Success, divergence from the expert, and what the plans are worth."""
        stochastic = np.asarray(table.probabilities, np.float64)
        stochastic /= stochastic.sum(axis=1, keepdims=True)
        greedy = np.eye(self.mdp.actions)[np.asarray(table.action)]
        scores = {
            "success": float(self.success_by_start(stochastic).mean()),
            "success_greedy": float(self.success_by_start(greedy).mean()),
            "divergence": imitation_divergence(
                self.mdp.starting_from(self.expert_start), stochastic, self.expert_occupancy
            ),
            "divergence_greedy": imitation_divergence(
                self.mdp.starting_from(self.expert_start), greedy, self.expert_occupancy
            ),
            "divergence_all_starts": imitation_divergence(
                self.mdp.starting_from(self.all_starts), stochastic, self.expert_occupancy
            ),
        }
        scores["divergence_all_starts_floor"] = self.floor_all_starts.certified
        if table.plan[0] >= 0:
            scores |= self.plan_scores(np.asarray(table.plan))
        return scores

    def success_by_start(
        self, policy: Float64[np.ndarray, "states actions"]
    ) -> Float64[np.ndarray, " starts"]:
        """P(goal within the horizon) from every allowed start, by dynamic programming."""
        chain = self.mdp.under(policy)
        arrived = np.eye(self.mdp.states)[self.world.goal]
        for _ in range(self.world.horizon):
            arrived = chain @ arrived
        return arrived[self.world.starts]

    def plan_scores(self, plan: Int[np.ndarray, " states"]) -> dict[str, float]:
        """Share of cells whose most likely plan some action reaches, with and without 'stay'.

        Of demonstrated cells and of others, where there are such.
        """
        cells = np.arange(self.mdp.states)
        legal = self.legal[cells, plan]
        moving = legal & (plan != cells)
        parts = {"demonstrated": self.demonstrated, "undemonstrated": self.undemonstrated}
        return {
            f"{what}_{part}": float(reached[cells].mean())
            for what, reached in (("legal", legal), ("legal_moving", moving))
            for part, cells in parts.items()
            if len(cells)
        }

    @cached_property
    def mdp(self) -> FiniteMDP:
        """The exact process."""
        return self.environment.mdp(self.gamma)

    @cached_property
    def legal(self) -> Bool[np.ndarray, "states states"]:
        """Whether some action leads from s to s'."""
        return self.mdp.reachable()

    @cached_property
    def all_starts(self) -> Float64[np.ndarray, " states"]:
        """Uniform over the allowed starts."""
        start = np.zeros(self.mdp.states)
        start[self.world.starts] = 1.0 / len(self.world.starts)
        return start

    @cached_property
    def demonstrated(self) -> Int[np.ndarray, " cells"]:
        """Cells the expert left, the goal not among them."""
        return np.setdiff1d(np.unique(self.demos.transitions()[0]), [self.world.goal])

    @cached_property
    def undemonstrated(self) -> Int[np.ndarray, " cells"]:
        """All other cells from which there is a way to the goal."""
        connected = np.flatnonzero(self.world.distance_to_goal > 0)
        return np.setdiff1d(connected, self.demonstrated)

    @cached_property
    def expert_start(self) -> Float64[np.ndarray, " states"]:
        """Where the demonstrations begin."""
        first = [episode[0] for episode in self.demos]
        return np.bincount(first, minlength=self.mdp.states) / len(first)

    @cached_property
    def expert_occupancy(self) -> Float64[np.ndarray, "states states"]:
        """ρ_E(s,s') of the planner that follows the demonstrations; where they end, it stays."""
        count = np.zeros((self.mdp.states, self.mdp.states))
        np.add.at(count, self.demos.transitions(), 1.0)
        silent = count.sum(axis=1) == 0
        count[silent, silent] = 1.0
        planner = count / count.sum(axis=1, keepdims=True)
        return occupancy_of_planner(planner, self.expert_start, self.gamma)

    @cached_property
    def floor_all_starts(self) -> Floor:
        """The least divergence any policy reaches from all allowed starts."""
        return divergence_floor(self.mdp.starting_from(self.all_starts), self.expert_occupancy)

"""A planner that is given and stands still, the same on finite states and on vectors."""

from __future__ import annotations

from typing import Any

from jaxtyping import Array, Key

from depo.methods.method import Agent, Method, Metrics
from depo.methods.optimisation import Trained
from depo.models.policy import DecoupledPolicy


class FrozenPlanner(Method):
    """The planner never moves; only the skill is learned, as the learner does it."""

    @property
    def samples_plans(self) -> bool:
        """Whether plans are sampled while gathering."""
        return True

    def fit_skill(
        self, agent: Agent, recent: Any, experience: Any, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """The agent with its skill fitted."""
        raise NotImplementedError

    def with_planner(self, agent: Agent, planner: Any) -> Agent:
        """The agent with this planner; it has no optimiser, so nothing can move it."""
        return agent | {"planner": Trained(planner, None)}

    def policy(self, agent: Agent) -> DecoupledPolicy:
        """Planner, then skill."""
        planner, skill = agent["planner"].model, agent["skill"].model
        return DecoupledPolicy(planner, skill, spread=self.samples_plans)

    def update(
        self, agent: Agent, recent: Any, experience: Any, expert: Any, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """Fit the skill."""
        return self.fit_skill(agent, recent, experience, key)

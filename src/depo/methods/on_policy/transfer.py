"""Transfer: a frozen planner, a new skill."""

from __future__ import annotations

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Key

from depo.methods.descent import Trained, fresh
from depo.methods.on_policy.experience import Memory, Rollout
from depo.methods.on_policy.method import Agent
from depo.methods.on_policy.steps import Metrics, Pairs, adam, fit_skill
from depo.models.planner import CategoricalPlanner
from depo.models.policy import DecoupledPolicy
from depo.models.skill import CategoricalSkill
from depo.settings.on_policy import SkillTransfer


@dataclass(frozen=True)
class TransferMethod:
    """The planner is given and never moves; the skill is learned from scratch."""

    settings: SkillTransfer

    def init(self, key: Key[Array, ""], states: int, actions: int) -> Agent:
        """A fresh skill; :meth:`with_planner` adds the planner."""
        s = self.settings
        skill = CategoricalSkill(key, states, actions, (s.hidden,) * 3)
        return {"skill": fresh(skill, adam(s.skill_rate))}

    @staticmethod
    def with_planner(agent: Agent, planner: CategoricalPlanner) -> Agent:
        """The agent with this planner; it has no optimiser, so nothing can move it."""
        return agent | {"planner": Trained(planner, None)}

    def policy(self, agent: Agent) -> DecoupledPolicy:
        """Planner, then skill."""
        return DecoupledPolicy(agent["planner"].model, agent["skill"].model)

    def update(
        self, agent: Agent, rollout: Rollout, memory: Memory, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """Fit the skill."""
        skill, metrics = fit_skill(agent["skill"], memory, self.settings, key)
        reached = {"plan_reached": jnp.mean(rollout.plan == rollout.next_state)}
        return agent | {"skill": skill}, metrics | reached

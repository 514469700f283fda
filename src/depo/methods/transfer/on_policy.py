"""Transfer on finite states."""

from __future__ import annotations

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Key

from depo.data.transitions import Rollout
from depo.methods.method import Agent, Metrics
from depo.methods.on_policy.experience import Memory
from depo.methods.on_policy.method import Spaces
from depo.methods.on_policy.steps import adam, fit_skill, plans
from depo.methods.optimisation import fresh
from depo.methods.transfer import OnPolicyTransfer
from depo.methods.transfer.frozen import FrozenPlanner
from depo.models.skill import CategoricalSkill


@dataclass(frozen=True)
class TransferMethod(FrozenPlanner):
    """The skill is fitted to all data in each iteration."""

    settings: OnPolicyTransfer

    def init(self, key: Key[Array, ""], shape: Spaces) -> Agent:
        """A fresh skill; :meth:`with_planner` adds the planner."""
        s = self.settings
        skill = CategoricalSkill(key, *shape, (s.learning.hidden,) * 3)
        return {"skill": fresh(skill, adam(s.skill.rate))}

    def fit_skill(
        self, agent: Agent, recent: Rollout, experience: Memory, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """Rounds of steps, until the held-out transitions stop improving."""
        wanted = plans(agent["planner"].model)
        skill, metrics = fit_skill(agent["skill"], experience, self.settings.skill, wanted, key)
        reached = {"plan_reached": jnp.mean(recent.plan == recent.next_state)}
        return agent | {"skill": skill}, metrics | reached

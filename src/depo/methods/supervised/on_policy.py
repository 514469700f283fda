"""What supervised DePO uses on finite states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key

from depo.data.transitions import Pairs, Rollout
from depo.losses import supervised_planner
from depo.methods.method import Metrics
from depo.methods.on_policy import settings as parts
from depo.methods.on_policy.experience import Memory
from depo.methods.on_policy.method import Spaces
from depo.methods.on_policy.steps import adam, expert_pairs, fit_skill, plans
from depo.methods.optimisation import Trained, descend, fresh
from depo.methods.supervised import OnPolicySupervised
from depo.methods.supervised.method import SupervisedMethod
from depo.models.planner import CategoricalPlanner
from depo.models.policy import DecoupledPolicy
from depo.models.skill import CategoricalSkill


@runtime_checkable
class SupervisedSettings(Protocol):
    """What is read of a method's settings."""

    @property
    def learning(self) -> parts.Learning:
        """What all models share."""

    @property
    def skill(self) -> parts.Skill:
        """How the skill is fitted."""

    @property
    def planner_rate(self) -> float:
        """Adam's learning rate for the planner."""

    @property
    def planner_steps(self) -> int:
        """Planner steps in one iteration."""

    @property
    def demo_batch(self) -> int:
        """Expert transitions in one planner step."""


@dataclass(frozen=True)
class FiniteFitting:
    """Rounds of steps in each iteration."""

    settings: SupervisedSettings

    def new_planner(self, key: Key[Array, ""], shape: Spaces) -> Trained[CategoricalPlanner]:
        """A planner about to be trained."""
        s = self.settings
        planner = CategoricalPlanner(key, shape.states, (s.learning.hidden,) * 2)
        return fresh(planner, adam(s.planner_rate))

    def new_skill(self, key: Key[Array, ""], shape: Spaces) -> Trained[CategoricalSkill]:
        """A skill about to be fitted."""
        s = self.settings
        return fresh(CategoricalSkill(key, *shape, (s.learning.hidden,) * 3), adam(s.skill.rate))

    def policy(self, planner: CategoricalPlanner, skill: CategoricalSkill) -> DecoupledPolicy:
        """Planner, then skill."""
        return DecoupledPolicy(planner, skill)

    def keys(self, key: Key[Array, ""]) -> tuple[Key[Array, ""], Key[Array, ""]]:
        """One each."""
        first, second = jax.random.split(key)
        return first, second

    def fit_skill(
        self,
        skill: Trained[CategoricalSkill],
        experience: Memory,
        planner: CategoricalPlanner,
        key: Key[Array, ""],
    ) -> tuple[Trained[CategoricalSkill], Metrics]:
        """All data, until the held-out ones stop improving."""
        return fit_skill(skill, experience, self.settings.skill, plans(planner), key)

    def fit_planner(
        self,
        planner: Trained[CategoricalPlanner],
        recent: Rollout,
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Trained[CategoricalPlanner], Metrics]:
        """Maximum likelihood on expert transitions."""
        s = self.settings
        planner, loss = descend(
            planner,
            adam(s.planner_rate),
            lambda model, batch: supervised_planner.loss(model, *batch),
            expert_pairs(expert, key, (s.planner_steps, s.demo_batch)),
        )
        reached = jnp.mean(recent.plan == recent.next_state)
        return planner, {"planner_loss": loss, "plan_reached": reached}


def build(settings: OnPolicySupervised) -> SupervisedMethod:
    """The method on finite states."""
    return SupervisedMethod(settings, FiniteFitting(settings))

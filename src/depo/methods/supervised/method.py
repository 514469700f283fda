"""Supervised DePO, the same on finite states and on vectors.

No reward, only the demonstrations and the skill.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import jax
from jaxtyping import Array, Key

from depo.methods.method import Agent, Method, Metrics
from depo.methods.optimisation import Trained
from depo.methods.settings_tree import MethodSettings
from depo.models.policy import DecoupledPolicy


@runtime_checkable
class Fitting(Protocol):
    """What a learner brings: its models, what it samples, and how it fits."""

    def new_planner(self, key: Key[Array, ""], shape: Any) -> Trained:
        """A planner about to be trained."""

    def new_skill(self, key: Key[Array, ""], shape: Any) -> Trained:
        """A skill about to be fitted."""

    def policy(self, planner: Any, skill: Any) -> DecoupledPolicy:
        """Planner, then skill."""

    def keys(self, key: Key[Array, ""]) -> tuple[Key[Array, ""], Key[Array, ""]]:
        """For fitting the skill, and for fitting the planner."""

    def fit_skill(
        self, skill: Trained, experience: Any, planner: Any, key: Key[Array, ""]
    ) -> tuple[Trained, Metrics]:
        """The skill after learning from experience, for what the planner plans."""

    def fit_planner(
        self, planner: Trained, recent: Any, expert: Any, key: Key[Array, ""]
    ) -> tuple[Trained, Metrics]:
        """The planner after learning from expert transitions; ``recent`` for metrics and size."""


@dataclass(frozen=True)
class SupervisedMethod(Method):
    """Planner from the demonstrations alone, skill from experience."""

    settings: MethodSettings
    fitting: Fitting

    def init(self, key: Key[Array, ""], shape: Any) -> Agent:
        """Planner and skill."""
        planner_key, skill_key = jax.random.split(key)
        return {
            "planner": self.fitting.new_planner(planner_key, shape),
            "skill": self.fitting.new_skill(skill_key, shape),
        }

    def policy(self, agent: Agent) -> DecoupledPolicy:
        """Planner, then skill."""
        return self.fitting.policy(agent["planner"].model, agent["skill"].model)

    def update(
        self, agent: Agent, recent: Any, experience: Any, expert: Any, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """Fit the skill to experience, the planner to expert transitions."""
        skill_key, planner_key = self.fitting.keys(key)
        before = agent["planner"].model
        skill, metrics = self.fitting.fit_skill(agent["skill"], experience, before, skill_key)
        planner, more = self.fitting.fit_planner(agent["planner"], recent, expert, planner_key)
        return {"planner": planner, "skill": skill}, metrics | more

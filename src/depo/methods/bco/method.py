"""BCO, the same on finite states and on vectors.

The skill labels the demonstrations with actions, a plain policy clones them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
from jaxtyping import Array, Float, Key

from depo.methods.method import Agent, Method, Metrics
from depo.methods.optimisation import Trained
from depo.methods.settings_tree import MethodSettings
from depo.models.policy import PolicyModel


class Keys(NamedTuple):
    """Random keys of one update; None where nothing is drawn."""

    skill: Key[Array, ""] | None
    draw: Key[Array, ""]
    label: Key[Array, ""] | None = None
    clone: Key[Array, ""] | None = None


@runtime_checkable
class Cloning(Protocol):
    """What a learner brings: its models, what it samples, and how it fits."""

    def new_actor(self, key: Key[Array, ""], shape: Any) -> Trained:
        """A policy about to be trained."""

    def new_skill(self, key: Key[Array, ""], shape: Any) -> Trained:
        """A skill about to be fitted."""

    def keys(self, key: Key[Array, ""]) -> Keys:
        """Those of one update."""

    def fit_skill(
        self, skill: Trained, experience: Any, expert: Any, key: Any
    ) -> tuple[Trained, Metrics]:
        """The skill after learning from experience, for the expert's transitions."""

    def draw(self, expert: Any, recent: Any, key: Key[Array, ""]) -> tuple[Any, Any]:
        """Expert transitions (s,s') to be labelled."""

    def label(self, skill: Any, state: Any, next_state: Any, key: Any) -> Any:
        """The actions that the skill reads into them."""

    def clone(
        self, actor: Trained, state: Any, label: Any, key: Any
    ) -> tuple[Trained, Float[Array, ""]]:
        """The policy after learning them, and the loss."""


@dataclass(frozen=True)
class BCOMethod(Method):
    """Fit the skill, label expert transitions, clone."""

    settings: MethodSettings
    cloning: Cloning

    def init(self, key: Key[Array, ""], shape: Any) -> Agent:
        """Actor and skill."""
        actor_key, skill_key = jax.random.split(key)
        return {
            "actor": self.cloning.new_actor(actor_key, shape),
            "skill": self.cloning.new_skill(skill_key, shape),
        }

    def policy(self, agent: Agent) -> PolicyModel:
        """The actor."""
        actor: PolicyModel = agent["actor"].model
        return actor

    def update(
        self, agent: Agent, recent: Any, experience: Any, expert: Any, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """The skill from experience, then the policy from what it reads into demonstrations."""
        keys = self.cloning.keys(key)
        skill, metrics = self.cloning.fit_skill(agent["skill"], experience, expert, keys.skill)
        state, next_state = self.cloning.draw(expert, recent, keys.draw)
        label = self.cloning.label(skill.model, state, next_state, keys.label)
        actor, loss = self.cloning.clone(agent["actor"], state, label, keys.clone)
        return {"actor": actor, "skill": skill}, metrics | {"policy_loss": loss}

"""GAIfO and GAIfO-DP on vectors: soft actor-critic with the discriminator's reward."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import jax
from jaxtyping import Array, Float, Key

from depo.data.transitions import Expert, Transitions
from depo.methods.gaifo import OffPolicyGAIfODP
from depo.methods.gaifo.adversarial import AdversarialMethod, AdversarialSettings
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy.method import Shape
from depo.methods.off_policy.steps import AdversarySettings, new_discriminator, update_reward
from depo.methods.sac.off_policy import Actor
from depo.models.planner import GaussianPlanner
from depo.models.policy import DecoupledPolicy
from depo.models.skill import DiscreteSkill, VectorSkill


@runtime_checkable
class GAIfOSettings(AdversarySettings, AdversarialSettings, Protocol):
    """What GAIfO reads of its settings, and of those of methods built on it."""


@dataclass(frozen=True)
class GAIfOMethod(AdversarialMethod):
    """The reward comes from a discriminator of (s,s')."""

    settings: GAIfOSettings

    def new_adversary(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """A discriminator of (s,s')."""
        return new_discriminator(key, shape, self.settings, self.pace)

    def update_adversary(
        self, agent: Agent, batch: Transitions, expert: Expert, key: Key[Array, ""]
    ) -> tuple[Agent, Float[Array, " batch"], Metrics]:
        """One step of the discriminator, and its reward of the batch."""
        return update_reward(agent, batch, expert, self.settings.discriminator, self.pace, key)


@dataclass(frozen=True)
class GAIfODPMethod(GAIfOMethod):
    """The actor is a planner and a skill, trained as one: nothing makes the plan a state."""

    settings: OffPolicyGAIfODP

    def new_actor(self, key: Key[Array, ""], shape: Shape) -> Actor:
        """A planner without noise, then a skill with its own."""
        s = self.settings
        planner_key, skill_key = jax.random.split(key)
        hidden = shape.layers(s.networks.hidden)
        deep = shape.layers(s.networks.hidden, s.skill_depth)
        view = shape.skill_input(s.pair_view.input)
        skill = (
            DiscreteSkill(skill_key, shape.normaliser, shape.choices, deep, shape.predicts, view)
            if shape.choices
            else VectorSkill(
                skill_key, shape.normaliser, shape.actions, deep, shape.predicts, None, view
            )
        )
        planner = GaussianPlanner(
            planner_key,
            shape.normaliser,
            hidden,
            shape.predicts,
            absolute=not s.plan_difference,
        )
        return DecoupledPolicy(planner, skill, spread=False)

"""GAIfO and GAIfO-DP on vectors: soft actor-critic with the discriminator's reward."""

from __future__ import annotations

from dataclasses import dataclass

import jax
from jaxtyping import Array, Float, Key

from depo.data.transitions import Pairs, Transitions
from depo.methods.gaifo import OffPolicyGAIfO, OffPolicyGAIfODP
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy.method import Shape
from depo.methods.off_policy.steps import (
    end_value,
    first_states,
    new_discriminator,
    update_reward,
)
from depo.methods.sac.off_policy import Actor, SoftActorCritic
from depo.models.planner import GaussianPlanner
from depo.models.policy import DecoupledPolicy
from depo.models.skill import DiscreteSkill, VectorSkill


@dataclass(frozen=True)
class GAIfOMethod(SoftActorCritic):
    """The reward comes from a discriminator of (s,s')."""

    settings: OffPolicyGAIfO | OffPolicyGAIfODP

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """SAC's models and a discriminator."""
        own, key = jax.random.split(key)
        discriminator = new_discriminator(own, shape, self.settings, self.pace)
        return super().init(key, shape) | discriminator

    def update(
        self,
        agent: Agent,
        batch: Transitions,
        wide: Transitions,
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Agent, Metrics]:
        """Discriminator, then soft actor-critic on its reward."""
        s = self.settings
        own, key = jax.random.split(key)
        agent, reward, more = update_reward(agent, batch, expert, s.discriminator, self.pace, own)
        agent, metrics = self.update_on(agent, batch, reward, expert, key)
        return agent, metrics | more

    def end_value(
        self,
        agent: Agent,
        batch: Transitions,
        next_value: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> Float[Array, ""] | float:
        """As the discriminator's reward has no zero of its own."""

        def first() -> Float[Array, " episodes"]:
            return self.target_value(agent, first_states(expert), jax.random.fold_in(key, 1))

        return end_value(agent, next_value, first, batch.terminated, self.settings)


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

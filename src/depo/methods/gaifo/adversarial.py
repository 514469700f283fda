"""Soft actor-critic whose reward is learned against an expert: what GAIfO, GAIL, AIRL and others
share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import jax
from jaxtyping import Array, Float, Key

from depo.data.transitions import Expert, Transitions
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy.method import Shape
from depo.methods.off_policy.steps import RewardSettings, end_value
from depo.methods.sac.off_policy import ActorCriticSettings, SoftActorCritic


@runtime_checkable
class AdversarialSettings(RewardSettings, ActorCriticSettings, Protocol):
    """What such methods read of their settings."""


@dataclass(frozen=True)
class AdversarialMethod(SoftActorCritic):
    """Subclasses say what makes the reward."""

    settings: AdversarialSettings

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """SAC's models and what makes the reward."""
        own, key = jax.random.split(key)
        return super().init(key, shape) | self.new_adversary(own, shape)

    def new_adversary(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """What makes the reward, about to be trained."""
        raise NotImplementedError

    def update_adversary(
        self, agent: Agent, batch: Transitions, expert: Any, key: Key[Array, ""]
    ) -> tuple[Agent, Float[Array, " batch"], Metrics]:
        """What makes the reward, one step on, and the reward of the batch."""
        raise NotImplementedError

    def update(
        self,
        agent: Agent,
        batch: Transitions,
        wide: Transitions,
        expert: Expert,
        key: Key[Array, ""],
    ) -> tuple[Agent, Metrics]:
        """What makes the reward, then soft actor-critic on it."""
        own, key = jax.random.split(key)
        agent, reward, more = self.update_adversary(agent, batch, expert, own)
        agent, metrics = self.update_on(agent, batch, reward, expert, key)
        return agent, metrics | more

    def end_value(
        self,
        agent: Agent,
        batch: Transitions,
        next_value: Float[Array, " batch"],
        expert: Expert,
        key: Key[Array, ""],
    ) -> Float[Array, "*batch"] | float:
        """As a reward that is learned has no zero of its own."""

        def value(state: Float[Array, "rows sees"], draw: int) -> Float[Array, " rows"]:
            return self.target_value(agent, state, jax.random.fold_in(key, draw))

        return end_value(agent, batch, next_value, expert, value, self.settings)

"""Soft actor-critic; GAIfO puts another reward in the place of the environment's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Key

from depo.data.transitions import Expert, Transitions
from depo.losses import soft_policy
from depo.losses.soft_policy import Temperature
from depo.methods.method import Agent, Method, Metrics
from depo.methods.off_policy import settings as parts
from depo.methods.off_policy.method import STEADY, Pace, Shape
from depo.methods.off_policy.steps import (
    CriticSettings,
    new_actor,
    new_critics,
    step,
    update_critics,
)
from depo.methods.optimisation import Trained, fresh
from depo.methods.sac import OffPolicySAC
from depo.models.action_space import ActionSpace
from depo.models.critic import TwinCritic
from depo.models.policy import DecoupledPolicy, DiscreteActor, GaussianActor, choices_of

Actor = GaussianActor | DiscreteActor | DecoupledPolicy


@runtime_checkable
class ActorCriticSettings(CriticSettings, Protocol):
    """What soft actor-critic reads of a method's settings."""

    @property
    def actor(self) -> parts.Actor:
        """The policy."""


@dataclass(frozen=True)
class SoftActorCritic(Method):
    """Soft actor-critic on any reward; subclasses say which."""

    settings: ActorCriticSettings
    pace: Pace = STEADY

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """Actor, critics and temperature."""
        s = self.settings
        actor_key, critic_key = jax.random.split(key)
        log_alpha = jnp.log(jnp.maximum(s.actor.temperature, 1e-8))
        optimiser = self.optimiser()
        return {
            "actor": fresh(self.new_actor(actor_key, shape), optimiser),
            "temperature": fresh(Temperature(log_alpha), optimiser),
            **new_critics(critic_key, shape, s, self.pace),
        }

    def new_actor(self, key: Key[Array, ""], shape: Shape) -> Actor:
        """The policy to be trained."""
        return new_actor(key, shape, shape.layers(self.settings.networks.hidden))

    def policy(self, agent: Agent) -> Actor:
        """The actor."""
        return agent["actor"].model

    def optimiser(self) -> optax.GradientTransformation:
        """Of the actor and of the temperature."""
        s = self.settings
        return self.pace.adam(s.actor.rate, s.networks.adam_beta)

    def update_on(
        self,
        agent: Agent,
        batch: Transitions,
        reward: Float[Array, " batch"],
        expert: Expert,
        key: Key[Array, ""],
    ) -> tuple[Agent, Metrics]:
        """One soft actor-critic step on any reward."""
        s = self.settings
        next_key, own_key = jax.random.split(key)
        alpha = agent["temperature"].model()
        next_value = self.target_value(agent, batch.next_state, next_key)
        learned = batch._replace(reward=reward)
        end_value = self.end_value(agent, learned, next_value, expert, next_key)
        agent, _, metrics = update_critics(
            agent, batch, reward, next_value, end_value, s, self.pace
        )
        actor, loss, entropy = step(
            agent["actor"],
            self.optimiser(),
            lambda model: self.actor_loss(model, agent, batch.state, alpha, own_key),
        )
        temperature = agent["temperature"]
        if s.actor.tune_temperature:
            choices = getattr(actor.model, "choices", ())
            actions = ActionSpace(batch.action.shape[-1], choices)
            temperature = self._tune(temperature, entropy, soft_policy.wanted_entropy(actions))
        metrics |= {"policy_loss": loss, "entropy": entropy, "temperature": alpha}
        return agent | {"actor": actor, "temperature": temperature}, metrics

    def actor_loss(
        self,
        actor: Actor,
        agent: Agent,
        state: Float[Array, "batch sees"],
        alpha: Float[Array, ""],
        key: Key[Array, ""],
    ) -> tuple[Float[Array, ""], Float[Array, ""]]:
        """The actor's loss and entropy; the agent has everything else."""
        critic, penalty = agent["critic"].model, self.settings.actor.output_penalty
        return actor_loss(actor, critic, state, alpha, penalty, key)

    def target_value(
        self, agent: Agent, state: Float[Array, "batch sees"], key: Key[Array, ""]
    ) -> Float[Array, " batch"]:
        """min Q̄ − α log π of what the policy would do."""
        policy, target = self.policy(agent), agent["target"].model
        alpha = agent["temperature"].model()
        if (chosen := choices_of(policy, state)) is not None:
            return soft_policy.exact_value(chosen, target, state, alpha)
        assert not isinstance(policy, DiscreteActor)
        action, log_prob, _ = policy.sample_log_prob(state, key)
        return target.least(state, action) - alpha * log_prob

    def end_value(
        self,
        agent: Agent,
        batch: Transitions,
        next_value: Float[Array, " batch"],
        expert: Expert,
        key: Key[Array, ""],
    ) -> Float[Array, "*batch"] | float:
        """What an ended episode is worth: nothing."""
        return 0.0

    def _tune(
        self, temperature: Trained[Temperature], entropy: Float[Array, ""], wanted: float
    ) -> Trained[Temperature]:
        changed, _, _ = step(
            temperature,
            self.optimiser(),
            lambda model: (soft_policy.temperature_loss(model, entropy, wanted), None),
        )
        return changed


def actor_loss(
    actor: Actor,
    critic: TwinCritic,
    state: Float[Array, "batch sees"],
    temperature: Float[Array, ""],
    output_penalty: float,
    key: Key[Array, ""],
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """The actor's loss and entropy: exact over discrete actions, else by a sample."""
    if (chosen := choices_of(actor, state)) is not None:
        return soft_policy.exact_loss(chosen, critic, state, temperature, output_penalty)
    assert not isinstance(actor, DiscreteActor)
    return soft_policy.loss(actor, critic, state, temperature, output_penalty, key)


@dataclass(frozen=True)
class SACMethod(SoftActorCritic):
    """On the environment's own reward."""

    settings: OffPolicySAC

    def update(
        self,
        agent: Agent,
        batch: Transitions,
        wide: Transitions,
        expert: Expert,
        key: Key[Array, ""],
    ) -> tuple[Agent, Metrics]:
        """Critics, then actor and temperature, on the reward given."""
        reward = self.settings.reward_scale * batch.reward
        agent, metrics = self.update_on(agent, batch, reward, expert, key)
        return agent, metrics | {"reward": jnp.mean(reward)}

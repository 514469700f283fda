"""PPO on the environment's reward; GAIfO puts another reward in its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depo.data.transitions import Pairs, Rollout
from depo.losses import clipped_policy_gradient
from depo.methods.method import Agent, Method, Metrics
from depo.methods.on_policy import settings as parts
from depo.methods.on_policy.experience import Memory
from depo.methods.on_policy.method import Spaces
from depo.methods.on_policy.steps import Advantages, adam, estimate_advantages, fit_critic
from depo.methods.optimisation import Trained, descend, fresh, minibatches
from depo.methods.ppo import OnPolicyPPO
from depo.models.critic import Critic
from depo.models.planner import pick
from depo.models.policy import CategoricalActor


@runtime_checkable
class ActorCriticSettings(Protocol):
    """What PPO's steps read of a method's settings."""

    @property
    def learning(self) -> parts.Learning:
        """What all models share."""

    @property
    def actor(self) -> parts.Actor:
        """The policy."""

    @property
    def critic(self) -> parts.Critic:
        """The critic."""


def actor_and_critic(settings: ActorCriticSettings, key: Key[Array, ""], shape: Spaces) -> Agent:
    """Fresh models."""
    actor_key, critic_key = jax.random.split(key)
    width = settings.learning.hidden
    actor = CategoricalActor(actor_key, shape.states, shape.actions, (width, width))
    critic = Critic(critic_key, shape.states, (width, width))
    return {
        "actor": fresh(actor, adam(settings.actor.rate)),
        "critic": fresh(critic, adam(settings.critic.rate)),
    }


def update_actor_and_critic(
    agent: Agent, advantages: Advantages, settings: ActorCriticSettings, key: Key[Array, ""]
) -> tuple[Agent, Metrics]:
    """PPO's clipped policy gradient with entropy, then the critic."""
    actor_key, critic_key = jax.random.split(key)
    actor: Trained[CategoricalActor] = agent["actor"]
    old = pick(actor.model.log_probabilities(advantages.state), advantages.action)
    index = minibatches(
        actor_key, advantages.state.shape[0], settings.critic.minibatch, settings.critic.epochs
    )

    def loss(model: CategoricalActor, rows: Int[Array, " batch"]) -> Float[Array, ""]:
        log_all = model.log_probabilities(advantages.state[rows])
        log_policy = pick(log_all, advantages.action[rows])
        entropy = -jnp.mean(jnp.sum(jnp.exp(log_all) * log_all, axis=-1))
        surrogate = clipped_policy_gradient.loss(
            log_policy, old[rows], advantages.advantage[rows], settings.actor.clip
        )
        return surrogate - settings.actor.entropy * entropy

    actor, policy_loss = descend(actor, adam(settings.actor.rate), loss, index)
    critic, metrics = fit_critic(agent["critic"], advantages, settings.critic, critic_key)
    return agent | {"actor": actor, "critic": critic}, metrics | {"policy_loss": policy_loss}


@dataclass(frozen=True)
class PPOMethod(Method):
    """Reinforcement learning on the true reward: the upper reference, not imitation."""

    settings: OnPolicyPPO

    def init(self, key: Key[Array, ""], shape: Spaces) -> Agent:
        """Actor and critic."""
        return actor_and_critic(self.settings, key, shape)

    def policy(self, agent: Agent) -> CategoricalActor:
        """The actor."""
        return agent["actor"].model

    def update(
        self, agent: Agent, rollout: Rollout, memory: Memory, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """Advantages of the environment's reward, then actor and critic."""
        s = self.settings
        advantages = estimate_advantages(
            agent["critic"].model, rollout, rollout.reward, s.critic, s.learning.gamma
        )
        return update_actor_and_critic(agent, advantages, s, key)

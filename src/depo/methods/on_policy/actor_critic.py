"""PPO on the environment's reward, and GAIfO: the same with the discriminator's reward."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depo.losses import clipped_policy_gradient
from depo.methods.descent import Trained, descend, fresh, minibatches
from depo.methods.on_policy.experience import Memory, Rollout
from depo.methods.on_policy.method import Agent
from depo.methods.on_policy.steps import (
    Judged,
    Metrics,
    Pairs,
    adam,
    adversarial_rewards,
    fit_critic,
    fit_discriminator,
    judge,
)
from depo.models.judges import Critic, Discriminator
from depo.models.planner import pick
from depo.models.policy import CategoricalActor
from depo.settings.on_policy import PPO, GAIfO


def _actor_and_critic(
    settings: PPO | GAIfO, key: Key[Array, ""], states: int, actions: int
) -> Agent:
    actor_key, critic_key = jax.random.split(key)
    width = settings.hidden
    actor = CategoricalActor(actor_key, states, actions, (width, width))
    critic = Critic(critic_key, states, (width, width))
    return {
        "actor": fresh(actor, adam(settings.actor_rate)),
        "critic": fresh(critic, adam(settings.critic_rate)),
    }


def _improve(
    agent: Agent, judged: Judged, settings: PPO | GAIfO, key: Key[Array, ""]
) -> tuple[Agent, Metrics]:
    """PPO's clipped policy gradient with entropy, then the critic."""
    actor_key, critic_key = jax.random.split(key)
    actor: Trained[CategoricalActor] = agent["actor"]
    old = pick(actor.model.log_probabilities(judged.state), judged.action)
    index = minibatches(actor_key, judged.state.shape[0], settings.minibatch, settings.epochs)

    def loss(model: CategoricalActor, rows: Int[Array, " batch"]) -> Float[Array, ""]:
        log_all = model.log_probabilities(judged.state[rows])
        log_policy = pick(log_all, judged.action[rows])
        entropy = -jnp.mean(jnp.sum(jnp.exp(log_all) * log_all, axis=-1))
        surrogate = clipped_policy_gradient.loss(
            log_policy, old[rows], judged.advantage[rows], settings.clip
        )
        return surrogate - settings.entropy * entropy

    actor, policy_loss = descend(actor, adam(settings.actor_rate), loss, index)
    critic, metrics = fit_critic(agent["critic"], judged, settings, critic_key)
    return agent | {"actor": actor, "critic": critic}, metrics | {"policy_loss": policy_loss}


@dataclass(frozen=True)
class PPOMethod:
    """Reinforcement learning on the true reward: the upper reference, not imitation."""

    settings: PPO

    def init(self, key: Key[Array, ""], states: int, actions: int) -> Agent:
        """Actor and critic."""
        return _actor_and_critic(self.settings, key, states, actions)

    def policy(self, agent: Agent) -> CategoricalActor:
        """The actor."""
        return agent["actor"].model

    def update(
        self, agent: Agent, rollout: Rollout, memory: Memory, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """Judge by the environment's reward, improve."""
        s = self.settings
        judged = judge(agent["critic"].model, rollout, rollout.reward, s, s.gamma)
        return _improve(agent, judged, s, key)


@dataclass(frozen=True)
class GAIfOMethod:
    """A plain policy against the discriminator."""

    settings: GAIfO

    def init(self, key: Key[Array, ""], states: int, actions: int) -> Agent:
        """Actor, critic and discriminator."""
        key, own = jax.random.split(key)
        width = self.settings.hidden
        judge_of_pairs = Discriminator(own, states, (width, width, width))
        return _actor_and_critic(self.settings, key, states, actions) | {
            "discriminator": fresh(judge_of_pairs, adam(self.settings.discriminator_rate))
        }

    def policy(self, agent: Agent) -> CategoricalActor:
        """The actor."""
        return agent["actor"].model

    def update(
        self, agent: Agent, rollout: Rollout, memory: Memory, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """Judge by the discriminator's reward, improve, then train the discriminator."""
        s = self.settings
        keys = jax.random.split(key)
        reward = adversarial_rewards(agent["discriminator"].model, rollout, s)
        judged = judge(agent["critic"].model, rollout, reward, s, s.gamma)
        agent, metrics = _improve(agent, judged, s, keys[0])
        discriminator, more = fit_discriminator(agent["discriminator"], rollout, expert, s, keys[1])
        return agent | {"discriminator": discriminator}, metrics | more

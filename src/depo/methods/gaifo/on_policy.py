"""GAIfO on finite states: PPO with the discriminator's reward."""

from __future__ import annotations

from dataclasses import dataclass

import jax
from jaxtyping import Array, Key

from depo.data.transitions import Pairs, Rollout
from depo.methods.gaifo import OnPolicyGAIfO
from depo.methods.method import Agent, Method, Metrics
from depo.methods.on_policy.experience import Memory
from depo.methods.on_policy.method import Spaces
from depo.methods.on_policy.steps import (
    adam,
    adversarial_rewards,
    estimate_advantages,
    fit_discriminator,
)
from depo.methods.optimisation import fresh
from depo.methods.ppo.on_policy import actor_and_critic, update_actor_and_critic
from depo.models.discriminator import Discriminator
from depo.models.policy import CategoricalActor


@dataclass(frozen=True)
class GAIfOMethod(Method):
    """A plain policy against the discriminator."""

    settings: OnPolicyGAIfO

    def init(self, key: Key[Array, ""], shape: Spaces) -> Agent:
        """Actor, critic and discriminator."""
        key, own = jax.random.split(key)
        width = self.settings.learning.hidden
        discriminator = Discriminator(own, shape.states, (width, width, width))
        return actor_and_critic(self.settings, key, shape) | {
            "discriminator": fresh(discriminator, adam(self.settings.discriminator.rate))
        }

    def policy(self, agent: Agent) -> CategoricalActor:
        """The actor."""
        return agent["actor"].model

    def update(
        self, agent: Agent, rollout: Rollout, memory: Memory, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """Advantages of the discriminator's reward, actor and critic, then the discriminator."""
        s = self.settings
        keys = jax.random.split(key)
        reward = adversarial_rewards(
            agent["discriminator"].model, rollout, expert, s.discriminator, s.learning.gamma
        )
        advantages = estimate_advantages(
            agent["critic"].model, rollout, reward, s.critic, s.learning.gamma
        )
        agent, metrics = update_actor_and_critic(agent, advantages, s, keys[0])
        discriminator, more = fit_discriminator(
            agent["discriminator"], rollout, expert, s.discriminator, keys[1]
        )
        return agent | {"discriminator": discriminator}, metrics | more

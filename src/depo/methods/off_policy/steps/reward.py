"""A discriminator's reward, and its units."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.losses import adversarial_reward
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy import settings as parts
from depo.methods.off_policy.steps.critics import CriticSettings
from depo.methods.optimisation import Trained, follow
from depo.models.scalar import Scalar


@runtime_checkable
class RewardSettings(CriticSettings, Protocol):
    """What a reward that is learned reads of a method's settings."""

    @property
    def collection(self) -> parts.Collection:
        """What an episode's end is worth."""

    @property
    def discriminator(self) -> parts.Discriminator:
        """The discriminator and the reward made of it."""


@runtime_checkable
class RewardUnits(Protocol):
    """What standardising a reward reads of settings."""

    @property
    def reward_scale(self) -> float:
        """Factor on the reward."""

    @property
    def reward_centre(self) -> float:
        """Rate at which its mean is followed."""

    @property
    def reward_spread(self) -> float:
        """Rate at which its deviation is followed; 0: it is not."""


def nothing_usual(s: RewardUnits) -> Agent:
    """The running mean of a reward, unknown yet; its variance too if rewards are divided by their
    deviation."""
    agent: Agent = {"centre": Trained(Scalar(jnp.zeros(())), None)}
    if s.reward_spread:
        agent["spread"] = Trained(Scalar(jnp.ones(())), None)
    return agent


def reward_of(logit: Float[Array, "*batch"], s: parts.Discriminator) -> Float[Array, "*batch"]:
    """Bounded, shifted, scaled."""
    if s.logit_clip:
        logit = jnp.clip(logit, -s.logit_clip, s.logit_clip)
    return s.reward_scale * (adversarial_reward.FORMS[s.reward](logit) + s.reward_shift)


def standardised_reward(agent: Agent, reward: Float[Array, "*batch"]) -> Float[Array, "*batch"]:
    """Minus its running mean; divided by its deviation before scaling, if that is followed."""
    centred = reward - agent["centre"].model.value
    return centred * jax.lax.rsqrt(agent["spread"].model.value) if "spread" in agent else centred


def follow_reward(
    agent: Agent, reward: Float[Array, " batch"], s: RewardUnits
) -> tuple[Agent, Float[Array, " batch"], Metrics]:
    """What is usual of a reward, one batch on; the reward standardised by it."""
    reward = jax.lax.stop_gradient(reward)
    mean = jnp.mean(reward)
    centre = follow(agent["centre"].model, Scalar(mean), s.reward_centre)
    agent = agent | {"centre": Trained(centre, None)}
    if s.reward_spread:
        variance = jnp.mean(((reward - centre.value) / s.reward_scale) ** 2)
        usual = follow(agent["spread"].model, Scalar(variance), s.reward_spread)
        agent |= {"spread": Trained(usual, None)}
    return agent, standardised_reward(agent, reward), {"reward": mean}


def discriminator_reward(
    agent: Agent,
    state: Float[Array, "batch sees"],
    next_state: Float[Array, "batch sees"],
    s: parts.Discriminator,
) -> Float[Array, " batch"]:
    """Reward of transitions under the current discriminator, standardised by what is usual."""
    logit = agent["discriminator"].model(state, next_state)
    return standardised_reward(agent, jax.lax.stop_gradient(reward_of(logit, s)))

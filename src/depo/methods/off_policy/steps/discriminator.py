"""The discriminator, and the reward it gives as it is trained."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import jax
from jaxtyping import Array, Float, Key

from depo.data.transitions import Expert, Pairs, Transitions
from depo.losses import discriminator as discriminator_loss
from depo.losses import gradient_penalty
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy import settings as parts
from depo.methods.off_policy.method import Pace, Shape
from depo.methods.off_policy.steps.ends import new_ends
from depo.methods.off_policy.steps.expert import draw_pairs
from depo.methods.off_policy.steps.gradient import step
from depo.methods.off_policy.steps.reward import (
    RewardSettings,
    follow_reward,
    nothing_usual,
    reward_of,
)
from depo.methods.optimisation import Trained, fresh
from depo.models.discriminator import AnyDiscriminator, VectorDiscriminator


@runtime_checkable
class AdversarySettings(RewardSettings, Protocol):
    """What the steps of a discriminator of (s,s') read of a method's settings."""

    @property
    def pair_view(self) -> parts.PairView:
        """How transitions are seen."""


def new_discriminator(key: Key[Array, ""], shape: Shape, s: AdversarySettings, pace: Pace) -> Agent:
    """A discriminator of (s,s') about to be trained, what is usual of its reward, and how often
    episodes end."""
    hidden = shape.layers(s.discriminator.hidden, share=2)
    model = VectorDiscriminator(key, shape.normaliser, hidden, pair_input=s.pair_view.input)
    optimiser = pace.adam(s.discriminator.rate)
    usual = nothing_usual(s.discriminator)
    return {"discriminator": fresh(model, optimiser), **usual, **new_ends(shape, s)}


def update_discriminator(
    trained: Trained[AnyDiscriminator],
    agent: Pairs,
    expert: Pairs,
    s: parts.Discriminator,
    pace: Pace,
    key: Key[Array, ""],
) -> tuple[Trained[AnyDiscriminator], Metrics]:
    """One step of cross-entropy and gradient penalty; what the agent did, and what the expert, are
    (s,s') or (s,a)."""

    def loss(model: AnyDiscriminator) -> tuple[Float[Array, ""], Metrics]:
        logits = model(*expert), model(*agent)
        entropy = discriminator_loss.of_logits(*logits)
        penalty = gradient_penalty.loss(model, model.features(*expert), model.features(*agent), key)
        return entropy + s.gradient_penalty * penalty, {
            "discriminator_loss": entropy,
            "discriminator_accuracy": discriminator_loss.accuracy(*logits),
        }

    trained, _, metrics = step(trained, pace.adam(s.rate), loss)
    return trained, metrics


def update_reward(
    agent: Agent,
    batch: Transitions,
    expert: Expert,
    s: parts.Discriminator,
    pace: Pace,
    key: Key[Array, ""],
) -> tuple[Agent, Float[Array, " batch"], Metrics]:
    """Train the discriminator of (s,s'), then take its reward of the batch, standardised by what is
    usual."""
    draw, between = jax.random.split(key)
    pairs = draw_pairs(expert, draw, batch.state.shape[0])
    own = (batch.state, batch.next_state)
    trained, metrics = update_discriminator(agent["discriminator"], own, pairs, s, pace, between)
    agent, reward, more = follow_reward(
        agent | {"discriminator": trained}, reward_of(trained.model(*own), s), s
    )
    return agent, reward, metrics | more

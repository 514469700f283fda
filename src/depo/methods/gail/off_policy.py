"""GAIL on vectors: soft actor-critic with the reward of a discriminator of (s,a)."""

from __future__ import annotations

from dataclasses import dataclass

import jax
from jaxtyping import Array, Float, Key

from depo.data.transitions import Acted, Transitions
from depo.methods.gaifo.adversarial import AdversarialMethod
from depo.methods.gail import OffPolicyGAIL
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy.method import Shape
from depo.methods.off_policy.steps import (
    draw_steps,
    follow_reward,
    new_ends,
    nothing_usual,
    reward_of,
    update_discriminator,
)
from depo.methods.optimisation import fresh
from depo.models.discriminator import ActionDiscriminator


@dataclass(frozen=True)
class GAILMethod(AdversarialMethod):
    """As GAIfO, but the discriminator sees the action in place of the next state."""

    settings: OffPolicyGAIL

    def new_adversary(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """A discriminator of (s,a), and what is known of its reward and of ends."""
        s = self.settings.discriminator
        hidden = shape.layers(s.hidden, share=2)
        model = ActionDiscriminator(key, shape.normaliser, shape.actions, hidden)
        usual, ends = nothing_usual(s), new_ends(shape, self.settings)
        return {"discriminator": fresh(model, self.pace.adam(s.rate)), **usual, **ends}

    def update_adversary(
        self, agent: Agent, batch: Transitions, expert: Acted, key: Key[Array, ""]
    ) -> tuple[Agent, Float[Array, " batch"], Metrics]:
        """One step of cross-entropy, then the reward of the batch."""
        s = self.settings.discriminator
        draw, between = jax.random.split(key)
        shown = draw_steps(expert, draw, batch.state.shape[0])
        own, theirs = (batch.state, batch.action), (shown.state, shown.action)
        trained, metrics = update_discriminator(
            agent["discriminator"], own, theirs, s, self.pace, between
        )
        agent, reward, more = follow_reward(
            agent | {"discriminator": trained}, reward_of(trained.model(*own), s), s
        )
        return agent, reward, metrics | more

"""AIRL on vectors: soft actor-critic on f, whose entropy stands for −log π in AIRL's reward."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.data.transitions import Acted, Expert, Transitions
from depo.losses import adversarial_inverse_reward, gradient_penalty
from depo.losses import end_value as worth
from depo.losses.adversarial_inverse_reward import Rows
from depo.methods.airl import OffPolicyAIRL, OffPolicyRewarded
from depo.methods.gaifo.adversarial import AdversarialMethod
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy.method import Shape
from depo.methods.off_policy.steps import (
    draw_steps,
    follow_reward,
    nothing_usual,
    reward_of,
    step,
)
from depo.methods.optimisation import fresh
from depo.methods.sac.off_policy import SoftActorCritic
from depo.models.policy import DecoupledPolicy
from depo.models.reward import StateReward


@dataclass(frozen=True)
class AIRLMethod(AdversarialMethod):
    """As GAIfO, but the discriminator is made of a reward and of the policy itself."""

    settings: OffPolicyAIRL

    def new_adversary(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """A reward about to be trained."""
        s = self.settings
        hidden = shape.layers(s.discriminator.hidden, share=2)
        model = StateReward(key, shape.normaliser, hidden, s.critic.gamma)
        optimiser = self.pace.adam(s.discriminator.rate)
        return {"reward": fresh(model, optimiser), **nothing_usual(s.discriminator)}

    def update_adversary(
        self, agent: Agent, batch: Transitions, expert: Acted, key: Key[Array, ""]
    ) -> tuple[Agent, Float[Array, " batch"], Metrics]:
        """One step of cross-entropy, then f of the batch."""
        s = self.settings.discriminator
        draw, between = jax.random.split(key)
        shown = draw_steps(expert, draw, batch.state.shape[0])
        own, theirs = (self._rows(agent, rows) for rows in (batch, shown))

        def loss(model: StateReward) -> tuple[Float[Array, ""], Metrics]:
            entropy, accuracy = adversarial_inverse_reward.loss(model, theirs, own)
            ends = model.features(*theirs[:2]), model.features(*own[:2])
            penalty = gradient_penalty.loss(model, *ends, between)
            found = {"discriminator_loss": entropy, "discriminator_accuracy": accuracy}
            return entropy + s.gradient_penalty * penalty, found

        trained, _, metrics = step(agent["reward"], self.pace.adam(s.rate), loss)
        shaped = reward_of(trained.model.shaped(batch.state, batch.next_state), s)
        agent, reward, more = follow_reward(agent | {"reward": trained}, shaped, s)
        return agent, reward, metrics | more

    def _rows(self, agent: Agent, rows: Transitions | Acted) -> Rows:
        """s, s' and log π(a|s) under the policy as it is."""
        policy = self.policy(agent)
        assert not isinstance(policy, DecoupledPolicy)
        log_prob = jax.lax.stop_gradient(policy.log_prob(rows.state, rows.action))
        if clip := self.settings.log_prob_clip * rows.action.shape[-1]:
            log_prob = jnp.clip(log_prob, -clip, clip)
        return rows.state, rows.next_state, log_prob


@dataclass(frozen=True)
class RewardedMethod(SoftActorCritic):
    """Soft actor-critic on g(s) of a reward that is given, and stays as it is, in units of its own
    deviation about its own mean: it was trained to tell states apart and has neither."""

    settings: OffPolicyRewarded

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """Also what is usual of the reward."""
        return super().init(key, shape) | nothing_usual(self.settings.reward)

    def update(
        self,
        agent: Agent,
        batch: Transitions,
        wide: Transitions,
        expert: Expert,
        key: Key[Array, ""],
    ) -> tuple[Agent, Metrics]:
        """Critics, then actor and temperature."""
        s = self.settings.reward
        given = s.reward_scale * agent["reward"].model(batch.state)
        agent, reward, usual = follow_reward(agent, given, s)
        agent, metrics = self.update_on(agent, batch, reward, expert, key)
        return agent, metrics | usual

    def end_value(
        self,
        agent: Agent,
        batch: Transitions,
        next_value: Float[Array, " batch"],
        expert: Expert,
        key: Key[Array, ""],
    ) -> Float[Array, "*batch"] | float:
        """Less than is usual, as the reward has no zero of its own; or nothing."""
        s = self.settings
        if s.collection.termination != "relative":
            return 0.0
        return worth.below_usual(next_value, ~batch.terminated, s.reward.end_cost)

"""SAC, and the two imitators built on it with a plain policy gradient: GAIfO and GAIfO-DP."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.losses import soft_policy
from depo.losses.soft_policy import Temperature
from depo.methods.descent import Trained, fresh
from depo.methods.off_policy.method import STEADY, Agent, Batch, Metrics, Pace, Pairs, Shape
from depo.methods.off_policy.parts import (
    absorbed_value,
    improve_critics,
    judge_transitions,
    new_critics,
    new_discriminator,
    step,
)
from depo.models.planner import GaussianPlanner
from depo.models.policy import DecoupledPolicy, GaussianActor
from depo.models.skill import VectorSkill
from depo.settings.off_policy import SAC, GAIfO, GAIfODP

Actor = GaussianActor | DecoupledPolicy


@dataclass(frozen=True)
class SACMethod:
    """Soft actor-critic on the environment's reward; subclasses put another reward in its place."""

    settings: SAC | GAIfO
    pace: Pace = STEADY

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """Actor, critics and temperature."""
        s = self.settings
        actor_key, critic_key = jax.random.split(key)
        log_alpha = jnp.log(jnp.maximum(s.temperature, 1e-8))
        rate = s.actor_rate
        return {
            "actor": fresh(self.new_actor(actor_key, shape), self.pace.adam(rate, s.adam_beta)),
            "temperature": fresh(Temperature(log_alpha), self.pace.adam(rate, s.adam_beta)),
            **new_critics(critic_key, shape, s, self.pace),
        }

    def new_actor(self, key: Key[Array, ""], shape: Shape) -> Actor:
        """The policy to be trained."""
        hidden = (self.settings.hidden,) * 2
        return GaussianActor(key, shape.standard, shape.actions, hidden)

    def policy(self, agent: Agent) -> Actor:
        """The actor."""
        return agent["actor"].model

    def update(
        self, agent: Agent, batch: Batch, wide: Batch, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """Critics, then actor and temperature, on the reward given."""
        assert isinstance(self.settings, SAC)
        reward = self.settings.reward_scale * batch.reward
        agent, metrics = self.improve(agent, batch, reward, 0.0, key)
        return agent, metrics | {"reward": jnp.mean(reward)}

    def improve(
        self,
        agent: Agent,
        batch: Batch,
        reward: Float[Array, " batch"],
        end_value: Float[Array, ""] | float,
        key: Key[Array, ""],
    ) -> tuple[Agent, Metrics]:
        """One soft actor-critic step on any reward."""
        s = self.settings
        next_key, own_key = jax.random.split(key)
        alpha = agent["temperature"].model()
        action, log_prob, _ = self.policy(agent).sample_log_prob(batch.next_state, next_key)
        next_value = agent["target"].model.least(batch.next_state, action) - alpha * log_prob
        agent, _, metrics = improve_critics(
            agent, batch, reward, next_value, end_value, s, self.pace
        )
        critic = agent["critic"].model
        actor, loss, entropy = step(
            agent["actor"],
            self.pace.adam(s.actor_rate, s.adam_beta),
            lambda model: soft_policy.loss(
                model, critic, batch.state, alpha, s.output_penalty, own_key
            ),
        )
        temperature = agent["temperature"]
        if s.tune_temperature:
            temperature = self._tune(temperature, entropy, batch.action.shape[-1])
        metrics |= {"policy_loss": loss, "entropy": entropy, "temperature": alpha}
        return agent | {"actor": actor, "temperature": temperature}, metrics

    def _tune(
        self, temperature: Trained[Temperature], entropy: Float[Array, ""], actions: int
    ) -> Trained[Temperature]:
        s = self.settings
        changed, _, _ = step(
            temperature,
            self.pace.adam(s.actor_rate, s.adam_beta),
            lambda model: (soft_policy.temperature_loss(model, entropy, -float(actions)), None),
        )
        return changed


@dataclass(frozen=True)
class GAIfOMethod(SACMethod):
    """The reward comes from a discriminator of (s,s')."""

    settings: GAIfO

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """SAC's models and a discriminator."""
        own, key = jax.random.split(key)
        judge = new_discriminator(own, shape, self.settings, self.pace)
        return super().init(key, shape) | judge

    def update(
        self, agent: Agent, batch: Batch, wide: Batch, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """Discriminator, then soft actor-critic on its reward."""
        s = self.settings
        judge_key, key = jax.random.split(key)
        agent, reward, judged = judge_transitions(agent, batch, expert, s, self.pace, judge_key)
        end_value = absorbed_value(s, agent["centre"].model.value)
        agent, metrics = self.improve(agent, batch, reward, end_value, key)
        return agent, metrics | judged


@dataclass(frozen=True)
class GAIfODPMethod(GAIfOMethod):
    """The actor is a planner and a skill, trained as one: nothing makes the plan a state."""

    settings: GAIfODP

    def new_actor(self, key: Key[Array, ""], shape: Shape) -> Actor:
        """A planner without noise, then a skill with its own."""
        s = self.settings
        planner_key, skill_key = jax.random.split(key)
        hidden = (s.hidden,) * 2
        return DecoupledPolicy(
            GaussianPlanner(planner_key, shape.standard, hidden, absolute=not s.plan_difference),
            VectorSkill(
                skill_key,
                shape.standard,
                shape.actions,
                (s.hidden,) * s.skill_depth,
                noise=None,
                pair_input=s.pair_input,
            ),
            spread=False,
        )

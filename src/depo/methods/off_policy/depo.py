"""Decoupled policy optimisation on vectors: DePG through the skill, CDePG and L_h."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.losses import calibrated_decoupled_policy_gradient as cdepg
from depo.losses import decoupled_policy_gradient as depg
from depo.losses import supervised_planner
from depo.methods.off_policy.method import STEADY, Agent, Batch, Metrics, Pace, Pairs, Shape
from depo.methods.off_policy.parts import (
    absorbed_value,
    draw_pairs,
    improve_critics,
    improve_skill,
    judge_transitions,
    new_critics,
    new_discriminator,
    new_planner,
    new_skill,
    planner_optimiser,
    step,
)
from depo.models.planner import Gaussian, GaussianPlanner
from depo.models.policy import DecoupledPolicy
from depo.settings.off_policy import Agnostic, DePO


@dataclass(frozen=True)
class AgnosticMethod:
    """DePG only: the planner follows Q through the skill, wherever that leads."""

    settings: Agnostic
    pace: Pace = STEADY

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """Planner, skill, critics and discriminator."""
        s = self.settings
        keys = jax.random.split(key, 4)
        return {
            "planner": new_planner(keys[0], shape, s, self.pace),
            "skill": new_skill(keys[1], shape, s, self.pace),
            **new_discriminator(keys[2], shape, s, self.pace),
            **new_critics(keys[3], shape, s, self.pace),
        }

    def policy(self, agent: Agent) -> DecoupledPolicy:
        """Planner, then skill."""
        return DecoupledPolicy(agent["planner"].model, agent["skill"].model)

    def update(
        self, agent: Agent, batch: Batch, wide: Batch, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """Discriminator, critics, planner, skill."""
        s = self.settings
        keys = jax.random.split(key, 3)
        agent, reward, metrics = judge_transitions(agent, batch, expert, s, self.pace, keys[0])
        action = self.policy(agent).sample(batch.next_state, keys[1]).action
        next_value = agent["target"].model.least(batch.next_state, action)
        end_value = absorbed_value(s, agent["centre"].model.value)
        agent, value, more = improve_critics(
            agent, batch, reward, next_value, end_value, s, self.pace
        )
        planner, loss, parts = step(
            agent["planner"],
            planner_optimiser(s, self.pace),
            lambda model: self.planner_loss(model, agent, batch, value, expert, keys[2]),
        )
        skill, fit = improve_skill(agent["skill"], wide, s, self.pace)
        metrics |= more | fit | parts | {"planner_loss": loss}
        return agent | {"planner": planner, "skill": skill}, metrics

    def planner_loss(
        self,
        planner: GaussianPlanner,
        agent: Agent,
        batch: Batch,
        value: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Float[Array, ""], Metrics]:
        """−E[min Q(s, I(s, h(s)))]."""
        return self.decoupled_gradient(
            planner, planner.distribution(batch.state), agent, batch, key
        )

    def decoupled_gradient(
        self,
        planner: GaussianPlanner,
        plan: Gaussian,
        agent: Agent,
        batch: Batch,
        key: Key[Array, ""],
    ) -> tuple[Float[Array, ""], Metrics]:
        """DePG from the planner's distribution at the batch's states."""
        plan_key, action_key = jax.random.split(key)
        target = planner.reached(batch.state, plan.sample(plan_key))
        loss, before_tanh = depg.through_skill(
            agent["critic"].model, agent["skill"].model, batch.state, target, action_key
        )
        loss += self.settings.output_penalty * jnp.mean(before_tanh**2)
        return loss, {"plan_spread": jnp.mean(jnp.exp(plan.log_std))}


@dataclass(frozen=True)
class DePOMethod(AgnosticMethod):
    """The paper's method: what the agent really reached, and what the expert did, anchor h."""

    settings: DePO

    def planner_loss(
        self,
        planner: GaussianPlanner,
        agent: Agent,
        batch: Batch,
        value: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Float[Array, ""], Metrics]:
        """DePG + c·CDePG + λ_h·L_h, with one pass of the network over all states."""
        s = self.settings
        draw, guess, key = jax.random.split(key, 3)
        seen, reached = draw_pairs(expert, draw, batch.state.shape[0])
        both = planner.distribution(jnp.concatenate([batch.state, seen]))
        own, theirs = (Gaussian(*half) for half in zip(*map(halves, both), strict=True))
        gradient, metrics = self.decoupled_gradient(planner, own, agent, batch, key)
        if s.relabel:
            action = agent["skill"].model.mode(batch.state, planner.select(batch.next_state))
            value = agent["critic"].model.least(batch.state, action)
        weight = cdepg.WEIGHTS[s.calibration_weight](jax.lax.stop_gradient(value))
        difference = planner.difference(batch.state, planner.select(batch.next_state))
        calibrated = cdepg.weighted(own.log_prob(difference), weight)
        supervised = supervised_planner.of_distribution(
            theirs, planner.difference(seen, planner.select(reached)), s.supervision_loss, guess
        )
        metrics |= {"calibrated_loss": calibrated, "supervised_loss": supervised}
        return gradient + s.calibration * calibrated + s.supervision * supervised, metrics


def halves(x: Float[Array, "both dimension"]) -> list[Float[Array, "half dimension"]]:
    """The first and the second half of the rows."""
    return jnp.split(x, 2)

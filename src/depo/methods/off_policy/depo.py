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
    judged_reward,
    new_critics,
    new_discriminator,
    new_planner,
    new_skill,
    planner_optimiser,
    step,
)
from depo.models.planner import Gaussian, GaussianPlanner
from depo.models.policy import DecoupledPolicy
from depo.models.skill import AnalyticSkill
from depo.settings.off_policy import Agnostic, DePO, DePORL


@dataclass(frozen=True)
class PlannerGradientMethod:
    """The planner follows Q through the skill; subclasses say what is rewarded and what anchors."""

    settings: Agnostic | DePORL
    pace: Pace = STEADY

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """Planner, skill and critics."""
        s = self.settings
        keys = jax.random.split(key, 4)
        return {
            "planner": new_planner(keys[0], shape, s, self.pace),
            "skill": new_skill(keys[1], shape, s, self.pace),
            **new_critics(keys[3], shape, s, self.pace),
        }

    @property
    def planner_pace(self) -> Pace:
        """How the planner's rate changes."""
        return self.pace

    def policy(self, agent: Agent) -> DecoupledPolicy:
        """Planner, then skill."""
        planner, skill = agent["planner"].model, agent["skill"].model
        return DecoupledPolicy(planner, skill, spread=self.settings.sample_plans)

    def update(
        self, agent: Agent, batch: Batch, wide: Batch, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """What makes the reward, critics, planner, skill."""
        s = self.settings
        keys = jax.random.split(key, 3)
        agent, value, metrics = self.improve_judges(agent, batch, expert, keys)
        planner, loss, parts = step(
            agent["planner"],
            planner_optimiser(s, self.planner_pace),
            lambda model: self.planner_loss(model, agent, batch, value, expert, keys[2]),
        )
        fitted, fit = self.fit_skill(agent, batch, wide, keys[0])
        metrics |= fit | parts | {"planner_loss": loss}
        return fitted | {"planner": planner}, metrics

    def fit_skill(
        self, agent: Agent, batch: Batch, wide: Batch, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """A step of the skill towards the actions taken."""
        skill, metrics = improve_skill(agent["skill"], wide, self.settings, self.pace)
        return agent | {"skill": skill}, metrics

    def improve_judges(
        self, agent: Agent, batch: Batch, expert: Pairs, keys: Key[Array, " more"]
    ) -> tuple[Agent, Float[Array, " batch"], Metrics]:
        """What makes the reward, and critics; min Q of the batch as it was before."""
        s, size = self.settings, batch.state.shape[0]
        agent, reward, metrics = self.rewarded(agent, batch, expert, keys[0])
        batch, reward = self.with_demonstrations(agent, batch, reward, expert, keys[0])
        action = self.policy(agent).sample(batch.next_state, keys[1]).action
        next_value = agent["target"].model.least(batch.next_state, action)
        agent, value, more = improve_critics(
            agent, batch, reward, next_value, self.end_value(agent), s, self.pace
        )
        return agent, value[:size], metrics | more

    def with_demonstrations(
        self,
        agent: Agent,
        batch: Batch,
        reward: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Batch, Float[Array, " more"]]:
        """What the critics learn from: the batch as it is."""
        return batch, reward

    def rewarded(
        self, agent: Agent, batch: Batch, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Float[Array, " batch"], Metrics]:
        """The environment's own reward."""
        reward = self.settings.reward_scale * batch.reward
        return agent, reward, {"reward": jnp.mean(reward)}

    def end_value(self, agent: Agent) -> Float[Array, ""] | float:
        """What an ended episode is worth: nothing."""
        return 0.0

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
        difference = plan.sample(plan_key) if self.settings.sample_plans else plan.mean
        target = planner.reached(batch.state, difference)
        critic, skill = agent["critic"].model, agent["skill"].model
        metrics = {"plan_spread": jnp.mean(jnp.exp(plan.log_std))}
        if isinstance(skill, AnalyticSkill):
            return depg.through_formula(critic, skill, batch.state, target), metrics
        loss, before_tanh = depg.through_skill(critic, skill, batch.state, target, action_key)
        return loss + self.settings.output_penalty * jnp.mean(before_tanh**2), metrics


@dataclass(frozen=True)
class AgnosticMethod(PlannerGradientMethod):
    """DePG only, rewarded by a discriminator: the plan goes wherever Q leads."""

    settings: Agnostic

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """Also a discriminator."""
        own = jax.random.split(key, 4)[2]
        return super().init(key, shape) | new_discriminator(own, shape, self.settings, self.pace)

    def rewarded(
        self, agent: Agent, batch: Batch, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Float[Array, " batch"], Metrics]:
        """The discriminator's reward, after a step of it."""
        return judge_transitions(agent, batch, expert, self.settings, self.pace, key)

    def with_demonstrations(
        self,
        agent: Agent,
        batch: Batch,
        reward: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Batch, Float[Array, " more"]]:
        """The batch, and demonstrated transitions with the actions the skill reads into them."""
        size = round(self.settings.demo_share * batch.state.shape[0])
        if not size:
            return batch, reward
        state, next_state = draw_pairs(expert, jax.random.fold_in(key, 1), size)
        skill = agent["skill"].model
        action = skill.mode(state, skill.select(next_state))
        none = jnp.zeros(size)
        shown = Batch(state, action, next_state, none, none > 0)
        judged = judged_reward(agent, state, next_state, self.settings)
        both = (jnp.concatenate(columns) for columns in zip(batch, shown, strict=True))
        return Batch(*both), jnp.concatenate([reward, judged])

    def end_value(self, agent: Agent) -> Float[Array, ""] | float:
        """For ever the reward of a poor transition, or nothing."""
        return absorbed_value(self.settings, agent["centre"].model.value)


@dataclass(frozen=True)
class DePORLMethod(PlannerGradientMethod):
    """DePG + c·CDePG on the environment's reward: nobody is imitated."""

    settings: DePORL

    def planner_loss(
        self,
        planner: GaussianPlanner,
        agent: Agent,
        batch: Batch,
        value: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Float[Array, ""], Metrics]:
        """DePG + c·CDePG."""
        own = planner.distribution(batch.state)
        gradient, metrics = self.decoupled_gradient(planner, own, agent, batch, key)
        calibrated = calibrated_gradient(planner, own, agent, batch, value, self.settings)
        metrics |= {"calibrated_loss": calibrated}
        return gradient + self.settings.calibration * calibrated, metrics


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
        calibrated = calibrated_gradient(planner, own, agent, batch, value, s)
        supervised = supervised_planner.of_distribution(
            theirs, planner.difference(seen, planner.select(reached)), s.supervision_loss, guess
        )
        metrics |= {"calibrated_loss": calibrated, "supervised_loss": supervised}
        return gradient + s.calibration * calibrated + s.supervision * supervised, metrics


def calibrated_gradient(
    planner: GaussianPlanner,
    plan: Gaussian,
    agent: Agent,
    batch: Batch,
    value: Float[Array, " batch"],
    s: DePO | DePORL,
) -> Float[Array, ""]:
    """CDePG from the planner's distribution at the batch's states and Q of its transitions."""
    if s.relabel:
        action = agent["skill"].model.mode(batch.state, planner.select(batch.next_state))
        value = agent["critic"].model.least(batch.state, action)
    weight = cdepg.WEIGHTS[s.calibration_weight](jax.lax.stop_gradient(value))
    difference = planner.difference(batch.state, planner.select(batch.next_state))
    return cdepg.weighted(plan.log_prob(difference), weight)


def halves(x: Float[Array, "both dimension"]) -> list[Float[Array, "half dimension"]]:
    """The first and the second half of the rows."""
    return jnp.split(x, 2)

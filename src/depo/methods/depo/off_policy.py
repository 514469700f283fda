"""Decoupled policy optimisation on vectors: DePG through the skill, CDePG and L_h."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Key

from depo.data.transitions import Pairs, Transitions
from depo.losses import calibrated_decoupled_policy_gradient as cdepg
from depo.losses import decoupled_policy_gradient as depg
from depo.losses import relative_step, supervised_planner
from depo.methods.depo import OffPolicyAgnostic, OffPolicyDePO
from depo.methods.method import Agent, Method, Metrics
from depo.methods.off_policy import settings as parts
from depo.methods.off_policy.method import STEADY, Pace, Shape
from depo.methods.off_policy.steps import (
    CriticSettings,
    PlannerSettings,
    SkillSettings,
    discriminator_reward,
    draw_pairs,
    end_value,
    new_critics,
    new_discriminator,
    new_planner,
    new_skill,
    planner_optimiser,
    step,
    update_critics,
    update_reward,
    update_skill,
)
from depo.models.planner import Gaussian, GaussianPlanner
from depo.models.policy import DecoupledPolicy
from depo.models.skill import AnalyticSkill, DiscreteSkill


@runtime_checkable
class PlannerGradientSettings(CriticSettings, PlannerSettings, SkillSettings, Protocol):
    """What DePG reads of a method's settings."""

    @property
    def noise(self) -> parts.SkillNoise:
        """How the skill explores."""

    @property
    def sampling(self) -> parts.PlanSampling:
        """Whether plans are random."""

    @property
    def decoupled_gradient(self) -> parts.DecoupledGradient:
        """How the planner follows the critics."""

    @property
    def skill_output(self) -> parts.SkillOutput:
        """What keeps the skill's output in bounds."""


@dataclass(frozen=True)
class PlannerGradientMethod(Method):
    """The planner follows Q through the skill; subclasses say what is rewarded and what anchors."""

    settings: PlannerGradientSettings
    pace: Pace = STEADY

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """Planner, skill and critics."""
        s = self.settings
        keys = jax.random.split(key, 4)
        return {
            "planner": new_planner(keys[0], shape, s, self.pace),
            "skill": new_skill(keys[1], shape, s, self.pace, s.noise.noise),
            **new_critics(keys[3], shape, s, self.pace),
        }

    def planner_optimiser(self) -> optax.GradientTransformation:
        """Of the planner."""
        return planner_optimiser(self.settings, self.pace)

    def policy(self, agent: Agent) -> DecoupledPolicy:
        """Planner, then skill."""
        planner, skill = agent["planner"].model, agent["skill"].model
        return DecoupledPolicy(planner, skill, spread=self.settings.sampling.sample)

    def update(
        self,
        agent: Agent,
        batch: Transitions,
        wide: Transitions,
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Agent, Metrics]:
        """What makes the reward, critics, planner, skill."""
        keys = jax.random.split(key, 3)
        agent, value, metrics = self.update_critics(agent, batch, expert, keys)
        planner, loss, parts = step(
            agent["planner"],
            self.planner_optimiser(),
            lambda model: self.planner_loss(model, agent, batch, value, expert, keys[2]),
        )
        fitted, fit = self.fit_skill(agent, batch, wide, keys[0])
        metrics |= fit | parts | {"planner_loss": loss}
        return fitted | {"planner": planner}, metrics

    def fit_skill(
        self, agent: Agent, batch: Transitions, wide: Transitions, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """A step of the skill towards the actions taken."""
        skill, metrics = update_skill(agent["skill"], wide, self.settings.skill, self.pace)
        return agent | {"skill": skill}, metrics

    def update_critics(
        self, agent: Agent, batch: Transitions, expert: Pairs, keys: Key[Array, " more"]
    ) -> tuple[Agent, Float[Array, " batch"], Metrics]:
        """What makes the reward, and critics; min Q of the batch as it was before."""
        s, size = self.settings, batch.state.shape[0]
        agent, reward, metrics = self.update_reward(agent, batch, expert, keys[0])
        batch, reward = self.with_demonstrations(agent, batch, reward, expert, keys[0])
        next_value = self.target_value(agent, batch.next_state, keys[1])
        learned = batch._replace(reward=reward)
        end_value = self.end_value(agent, learned, next_value, expert, keys[1])
        agent, value, more = update_critics(
            agent, batch, reward, next_value, end_value, s, self.pace
        )
        return agent, value[:size], metrics | more

    def target_value(
        self, agent: Agent, state: Float[Array, "batch sees"], key: Key[Array, ""]
    ) -> Float[Array, " batch"]:
        """min Q̄ of what the policy would do; over discrete actions its mean, given the plan."""
        policy, target = self.policy(agent), agent["target"].model
        if isinstance(policy.skill, DiscreteSkill):
            plan = policy.sample_plan(state, key)
            return depg.through_choices(target, policy.skill, state, plan)[0]
        return target.least(state, policy.sample(state, key).action)

    def with_demonstrations(
        self,
        agent: Agent,
        batch: Transitions,
        reward: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Transitions, Float[Array, " more"]]:
        """What the critics learn from: the batch as it is."""
        return batch, reward

    def update_reward(
        self, agent: Agent, batch: Transitions, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Float[Array, " batch"], Metrics]:
        """The reward of the batch, after a step of what makes it."""
        raise NotImplementedError

    def end_value(
        self,
        agent: Agent,
        batch: Transitions,
        next_value: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> Float[Array, "*batch"] | float:
        """What an ended episode is worth: nothing."""
        return 0.0

    def planner_loss(
        self,
        planner: GaussianPlanner,
        agent: Agent,
        batch: Transitions,
        value: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Float[Array, ""], Metrics]:
        """What the planner follows, with metrics; ``value`` is min Q of the batch."""
        raise NotImplementedError

    def follow_critics(
        self,
        planner: GaussianPlanner,
        plan: Gaussian,
        agent: Agent,
        batch: Transitions,
        taken: Float[Array, " batch"],
        key: Key[Array, ""],
    ) -> tuple[Float[Array, ""], Float[Array, " batch"], Metrics]:
        """DePG from the planner's distribution at the batch's states, and Q of what it plans;
        ``taken`` is Q of what was done there."""
        plan_key, action_key = jax.random.split(key)
        difference = plan.sample(plan_key) if self.settings.sampling.sample else plan.mean
        target = planner.reached(batch.state, difference)
        critic, skill = agent["critic"].model, agent["skill"].model
        metrics = {"plan_spread": jnp.mean(jnp.exp(plan.log_std))}
        if isinstance(skill, AnalyticSkill):
            value, penalty = depg.through_formula(critic, skill, batch.state, target), jnp.zeros(())
        else:
            if isinstance(skill, DiscreteSkill):
                value, before = depg.through_choices(critic, skill, batch.state, target)
            else:
                value, before = depg.through_skill(critic, skill, batch.state, target, action_key)
            penalty = self.settings.skill_output.penalty * jnp.mean(before**2)
        follows = depg.UNITS[self.settings.decoupled_gradient.value_unit](value, taken)
        return -jnp.mean(follows) + penalty, value, metrics


@dataclass(frozen=True)
class AdversarialMethod(PlannerGradientMethod):
    """DePG rewarded by a discriminator."""

    settings: OffPolicyAgnostic | OffPolicyDePO

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """Also a discriminator."""
        own = jax.random.split(key, 4)[2]
        return super().init(key, shape) | new_discriminator(own, shape, self.settings, self.pace)

    def update_reward(
        self, agent: Agent, batch: Transitions, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Float[Array, " batch"], Metrics]:
        """The discriminator's reward, after a step of it."""
        s = self.settings.discriminator
        return update_reward(agent, batch, expert, s, self.pace, key)

    def with_demonstrations(
        self,
        agent: Agent,
        batch: Transitions,
        reward: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Transitions, Float[Array, " more"]]:
        """The batch, and demonstrated transitions with the actions the skill reads into them."""
        size = round(self.settings.demo_transitions.share * batch.state.shape[0])
        if not size:
            return batch, reward
        state, next_state = draw_pairs(expert, jax.random.fold_in(key, 1), size)
        skill = agent["skill"].model
        action = skill.mode(state, skill.select(next_state))
        none = jnp.zeros(size)
        shown = Transitions(state, action, next_state, none, none > 0)
        own = discriminator_reward(agent, state, next_state, self.settings.discriminator)
        both = (jnp.concatenate(columns) for columns in zip(batch, shown, strict=True))
        return Transitions(*both), jnp.concatenate([reward, own])

    def end_value(
        self,
        agent: Agent,
        batch: Transitions,
        next_value: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> Float[Array, "*batch"] | float:
        """As the discriminator's reward has no zero of its own."""

        def value(state: Float[Array, "rows sees"], draw: int) -> Float[Array, " rows"]:
            return self.target_value(agent, state, jax.random.fold_in(key, draw))

        return end_value(agent, batch, next_value, expert, value, self.settings)


@dataclass(frozen=True)
class AgnosticMethod(AdversarialMethod):
    """DePG only: the plan goes wherever Q leads."""

    settings: OffPolicyAgnostic

    def planner_loss(
        self,
        planner: GaussianPlanner,
        agent: Agent,
        batch: Transitions,
        value: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Float[Array, ""], Metrics]:
        """−E[min Q(s, I(s, h(s)))]."""
        plan = planner.distribution(batch.state)
        loss, _, metrics = self.follow_critics(planner, plan, agent, batch, value, key)
        return loss, metrics


@dataclass(frozen=True)
class DePOMethod(AdversarialMethod):
    """The paper's method: what the agent really reached, and what the expert did, anchor h."""

    settings: OffPolicyDePO

    def planner_loss(
        self,
        planner: GaussianPlanner,
        agent: Agent,
        batch: Transitions,
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
        gradient, planned, metrics = self.follow_critics(planner, own, agent, batch, value, key)
        shown = planner.difference(seen, planner.select(reached))
        calibrated = calibrated_gradient(
            planner, own, agent, batch, (value, planned), s.calibration
        )
        supervised = supervised_planner.of_distribution(theirs, shown, s.supervision.loss, guess)
        metrics |= {"calibrated_loss": calibrated, "supervised_loss": supervised}
        loss = gradient + s.calibration.weight * calibrated + s.supervision.weight * supervised
        return loss, metrics


def calibrated_gradient(
    planner: GaussianPlanner,
    plan: Gaussian,
    agent: Agent,
    batch: Transitions,
    values: tuple[Float[Array, " batch"], Float[Array, " batch"]],
    s: parts.Calibration,
) -> Float[Array, ""]:
    """CDePG from the planner's distribution at the batch's states, Q of its transitions and of what
    is planned instead."""
    value, planned = values
    if s.relabel:
        action = agent["skill"].model.mode(batch.state, planner.select(batch.next_state))
        value = agent["critic"].model.least(batch.state, action)
    weight = cdepg.WEIGHTS[s.form](*jax.lax.stop_gradient((value, planned)))
    difference = planner.difference(batch.state, planner.select(batch.next_state))
    if s.loss == "relative":
        return cdepg.weighted(-relative_step.loss(plan, difference), weight)
    return cdepg.weighted(plan.log_prob(difference), weight)


def halves(x: Float[Array, "both dimension"]) -> list[Float[Array, "half dimension"]]:
    """The first and the second half of the rows."""
    return jnp.split(x, 2)

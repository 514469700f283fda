"""Decoupled policy optimisation and its two halves: which planner losses, added up how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depo.losses import calibrated_decoupled_policy_gradient as cdepg
from depo.losses import decoupled_policy_gradient as depg
from depo.losses import supervised_planner
from depo.methods.descent import descend, fresh, minibatches
from depo.methods.on_policy.experience import Memory, Rollout
from depo.methods.on_policy.method import Agent
from depo.methods.on_policy.steps import (
    Judged,
    Metrics,
    Pairs,
    adam,
    adversarial_rewards,
    expert_pairs,
    fit_critic,
    fit_discriminator,
    fit_skill,
    judge,
)
from depo.models.judges import Critic, Discriminator
from depo.models.planner import CategoricalPlanner
from depo.models.policy import DecoupledPolicy
from depo.models.skill import CategoricalSkill
from depo.settings.on_policy import Agnostic, Calibrated, DePO

Minibatch = tuple[Int[Array, " batch"], Pairs, Key[Array, ""]]
"""Rows of the judged batch, expert transitions, and a key for estimators that sample."""
PlannerLoss = Callable[[CategoricalPlanner, Minibatch], Float[Array, ""]]


def decoupled_gradient(judged: Judged, skill: CategoricalSkill, settings: Agnostic) -> PlannerLoss:
    """DePG by the chosen estimator; the exact one looks up log I(a|s,·) once per batch."""
    if settings.gradient == "score-function":

        def loss(planner: CategoricalPlanner, minibatch: Minibatch) -> Float[Array, ""]:
            b = jax.tree.map(lambda x: x[minibatch[0]], judged)
            return depg.score_function(planner, b.state, b.plan, b.advantage)

    elif settings.gradient == "straight-through":

        def loss(planner: CategoricalPlanner, minibatch: Minibatch) -> Float[Array, ""]:
            b = jax.tree.map(lambda x: x[minibatch[0]], judged)
            return depg.straight_through(
                planner, skill, b.state, b.action, b.advantage, minibatch[2]
            )

    else:
        log_skill = _log_skill_of_actions(judged, skill)

        def loss(planner: CategoricalPlanner, minibatch: Minibatch) -> Float[Array, ""]:
            rows = minibatch[0]
            return depg.exact(planner, judged.state[rows], log_skill[rows], judged.advantage[rows])

    return loss


def _log_skill_of_actions(judged: Judged, skill: CategoricalSkill) -> Float[Array, "batch states"]:
    """log I(a|s,·) of every action taken; by the whole table where that is the smaller job."""
    if skill.states <= judged.state.shape[0]:
        table = skill.towards_all(jnp.arange(skill.states))
        return table[judged.state, :, judged.action]
    log_all = skill.towards_all(judged.state)
    return jnp.take_along_axis(log_all, judged.action[:, None, None], axis=-1)[..., 0]


def calibrated_gradient(judged: Judged) -> PlannerLoss:
    """CDePG on the states really reached."""
    weight = cdepg.weights(judged.advantage)

    def loss(planner: CategoricalPlanner, minibatch: Minibatch) -> Float[Array, ""]:
        rows = minibatch[0]
        return cdepg.loss(planner, judged.state[rows], judged.next_state[rows], weight[rows])

    return loss


def supervision(planner: CategoricalPlanner, minibatch: Minibatch) -> Float[Array, ""]:
    """L_h on the expert transitions of the minibatch."""
    return supervised_planner.loss(planner, *minibatch[1])


def weighted_sum(*parts: tuple[float, PlannerLoss]) -> PlannerLoss:
    """Σ weight · loss."""

    def loss(planner: CategoricalPlanner, minibatch: Minibatch) -> Float[Array, ""]:
        return sum((w * part(planner, minibatch) for w, part in parts), jnp.zeros(()))

    return loss


def entropy_bonus(judged: Judged) -> PlannerLoss:
    """−H(h(·|s)): a negative loss keeps plans spread out while learning."""

    def loss(planner: CategoricalPlanner, minibatch: Minibatch) -> Float[Array, ""]:
        log_h = planner.log_probabilities(judged.state[minibatch[0]])
        return jnp.mean(jnp.sum(jnp.exp(log_h) * log_h, axis=-1))

    return loss


class Todo(NamedTuple):
    """A planner's loss, and the minibatches it is to follow it on, one step each."""

    loss: Callable[[CategoricalPlanner, Any], Float[Array, ""]]
    batches: Any


@dataclass(frozen=True)
class AgnosticMethod:
    """DePG only. Subclasses add what keeps the planner honest."""

    settings: Agnostic | Calibrated | DePO

    def planner_loss(self, judged: Judged, skill: CategoricalSkill) -> PlannerLoss:
        """−E[A log Σ_s' h I]."""
        s = self.settings
        assert isinstance(s, Agnostic)
        return decoupled_gradient(judged, skill, s)

    def init(self, key: Key[Array, ""], states: int, actions: int) -> Agent:
        """Planner, skill, critic and discriminator."""
        s = self.settings
        keys = jax.random.split(key, 4)
        planner = CategoricalPlanner(keys[0], states, (s.hidden,) * 2)
        skill = CategoricalSkill(keys[1], states, actions, (s.hidden,) * 3)
        critic = Critic(keys[2], states, (s.hidden,) * 2)
        discriminator = Discriminator(keys[3], states, (s.hidden,) * 3)
        return {
            "planner": fresh(planner, adam(s.planner_rate)),
            "skill": fresh(skill, adam(s.skill_rate)),
            "critic": fresh(critic, adam(s.critic_rate)),
            "discriminator": fresh(discriminator, adam(s.discriminator_rate)),
        }

    def policy(self, agent: Agent) -> DecoupledPolicy:
        """Planner, then skill."""
        return DecoupledPolicy(agent["planner"].model, agent["skill"].model)

    def update(
        self, agent: Agent, rollout: Rollout, memory: Memory, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """Skill, then planner and critic on the discriminator's reward, then discriminator."""
        agent, todo, metrics = self.prepare(agent, rollout, memory, expert, key)
        return self.improve(agent, todo, metrics)

    def prepare(
        self, agent: Agent, rollout: Rollout, memory: Memory, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Todo, Metrics]:
        """All but the planner, which changes nothing of theirs, and what is then to do for it."""
        s = self.settings
        keys = jax.random.split(key, 4)
        skill, metrics = fit_skill(agent["skill"], memory, s, keys[0])
        reward = adversarial_rewards(agent["discriminator"].model, rollout, s)
        judged = judge(agent["critic"].model, rollout, reward, s, s.gamma)
        critic, critic_metrics = fit_critic(agent["critic"], judged, s, keys[2])
        discriminator, judge_metrics = fit_discriminator(
            agent["discriminator"], rollout, expert, s, keys[3]
        )
        reached = {"plan_reached": jnp.mean(rollout.plan == rollout.next_state)}
        prepared = agent | {"skill": skill, "critic": critic, "discriminator": discriminator}
        todo = self._todo(judged, skill.model, expert, keys[1])
        return prepared, todo, metrics | critic_metrics | judge_metrics | reached

    def improve(self, agent: Agent, todo: Todo, metrics: Metrics) -> tuple[Agent, Metrics]:
        """The planner's steps."""
        optimiser = adam(self.settings.planner_rate)
        planner, mean = descend(agent["planner"], optimiser, todo.loss, todo.batches)
        return agent | {"planner": planner}, metrics | {"planner_loss": mean}

    def _todo(
        self, judged: Judged, skill: CategoricalSkill, expert: Pairs, key: Key[Array, ""]
    ) -> Todo:
        s = self.settings
        order, draw, noise = jax.random.split(key, 3)
        rows = minibatches(order, judged.state.shape[0], s.minibatch, s.epochs)
        loss = weighted_sum(
            (1.0, self.planner_loss(judged, skill)), (s.entropy, entropy_bonus(judged))
        )
        steps = rows.shape[0]
        pairs = expert_pairs(expert, draw, (steps, s.demo_batch))
        return Todo(loss, (rows, pairs, jax.random.split(noise, steps)))


@dataclass(frozen=True)
class CalibratedMethod(AgnosticMethod):
    """CDePG + λ_h·L_h: what the authors ran on the grid."""

    def planner_loss(self, judged: Judged, skill: CategoricalSkill) -> PlannerLoss:
        """c·CDePG + λ_h·L_h."""
        s = self.settings
        assert isinstance(s, Calibrated)
        return weighted_sum(
            (s.calibration, calibrated_gradient(judged)),
            (s.supervision, supervision),
        )


@dataclass(frozen=True)
class DePOMethod(AgnosticMethod):
    """The paper's method."""

    def planner_loss(self, judged: Judged, skill: CategoricalSkill) -> PlannerLoss:
        """DePG + c·CDePG + λ_h·L_h."""
        s = self.settings
        assert isinstance(s, DePO)
        return weighted_sum(
            (1.0, decoupled_gradient(judged, skill, s)),
            (s.calibration, calibrated_gradient(judged)),
            (s.supervision, supervision),
        )

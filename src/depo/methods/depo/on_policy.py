"""Decoupled policy optimisation and its two halves: which planner losses, added up how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depo.data.transitions import Pairs, Rollout
from depo.losses import calibrated_decoupled_policy_gradient as cdepg
from depo.losses import clipped_policy_gradient, supervised_planner
from depo.losses import decoupled_policy_gradient as depg
from depo.methods.depo import OnPolicyAgnostic, OnPolicyCalibrated, OnPolicyDePO
from depo.methods.method import Agent, Method, Metrics
from depo.methods.on_policy import settings as parts
from depo.methods.on_policy.experience import Memory
from depo.methods.on_policy.method import PlannerSteps, Spaces
from depo.methods.on_policy.settings import AdvantageWeight, GradientEstimator
from depo.methods.on_policy.steps import (
    Advantages,
    adam,
    adversarial_rewards,
    estimate_advantages,
    expert_pairs,
    fit_critic,
    fit_discriminator,
    fit_skill,
    plans,
)
from depo.methods.optimisation import descend, fresh, minibatches
from depo.models.critic import Critic
from depo.models.discriminator import Discriminator
from depo.models.planner import CategoricalPlanner
from depo.models.policy import DecoupledPolicy
from depo.models.skill import CategoricalSkill

Minibatch = tuple[Int[Array, " batch"], Pairs, Key[Array, ""]]
"""Rows of the batch, expert transitions, and a key for estimators that sample."""
PlannerLoss = Callable[[CategoricalPlanner, Minibatch], Float[Array, ""]]


def decoupled_gradient(
    advantages: Advantages, skill: CategoricalSkill, estimator: GradientEstimator
) -> PlannerLoss:
    """DePG by the chosen estimator; the exact one looks up log I(a|s,·) once per batch."""
    if estimator == "score-function":

        def loss(planner: CategoricalPlanner, minibatch: Minibatch) -> Float[Array, ""]:
            b = jax.tree.map(lambda x: x[minibatch[0]], advantages)
            return depg.score_function(planner, b.state, b.plan, b.advantage)

    elif estimator == "straight-through":

        def loss(planner: CategoricalPlanner, minibatch: Minibatch) -> Float[Array, ""]:
            b = jax.tree.map(lambda x: x[minibatch[0]], advantages)
            return depg.straight_through(
                planner, skill, b.state, b.action, b.advantage, minibatch[2]
            )

    else:
        log_skill = _log_skill_of_actions(advantages, skill)

        def loss(planner: CategoricalPlanner, minibatch: Minibatch) -> Float[Array, ""]:
            rows = minibatch[0]
            return depg.exact(
                planner, advantages.state[rows], log_skill[rows], advantages.advantage[rows]
            )

    return loss


def clipped_decoupled_gradient(
    advantages: Advantages, skill: CategoricalSkill, before: CategoricalPlanner, clip: float
) -> PlannerLoss:
    """PPO's surrogate of the policy that planner and skill make, bound to that of ``before``."""
    log_skill = _log_skill_of_actions(advantages, skill)
    old = depg.log_marginal(before, advantages.state, log_skill)

    def loss(planner: CategoricalPlanner, minibatch: Minibatch) -> Float[Array, ""]:
        rows = minibatch[0]
        log_policy = depg.log_marginal(planner, advantages.state[rows], log_skill[rows])
        return clipped_policy_gradient.loss(log_policy, old[rows], advantages.advantage[rows], clip)

    return loss


def _log_skill_of_actions(
    advantages: Advantages, skill: CategoricalSkill
) -> Float[Array, "batch states"]:
    """log I(a|s,·) of every action taken; by the whole table where that is the smaller job."""
    if skill.states <= advantages.state.shape[0]:
        table = skill.towards_all(jnp.arange(skill.states))
        return table[advantages.state, :, advantages.action]
    log_all = skill.towards_all(advantages.state)
    return jnp.take_along_axis(log_all, advantages.action[:, None, None], axis=-1)[..., 0]


def calibrated_gradient(advantages: Advantages, form: AdvantageWeight) -> PlannerLoss:
    """CDePG on the states really reached."""
    weight = cdepg.ADVANTAGE_WEIGHTS[form](advantages.advantage)

    def loss(planner: CategoricalPlanner, minibatch: Minibatch) -> Float[Array, ""]:
        rows = minibatch[0]
        return cdepg.loss(
            planner, advantages.state[rows], advantages.next_state[rows], weight[rows]
        )

    return loss


def supervision(planner: CategoricalPlanner, minibatch: Minibatch) -> Float[Array, ""]:
    """L_h on the expert transitions of the minibatch."""
    return supervised_planner.loss(planner, *minibatch[1])


Weight = float | Float[Array, ""]


def anchor_weight(settings: parts.Supervision, memory: Memory, skill: CategoricalSkill) -> Weight:
    """λ_h, larger where dynamics are noisy."""
    if not settings.noise:
        return settings.weight
    return settings.weight + settings.noise * memory.noise(skill.states, skill.actions)


def weighted_sum(*terms: tuple[Weight, PlannerLoss]) -> PlannerLoss:
    """Σ weight · loss."""

    def loss(planner: CategoricalPlanner, minibatch: Minibatch) -> Float[Array, ""]:
        return sum((w * part(planner, minibatch) for w, part in terms), jnp.zeros(()))

    return loss


def entropy_bonus(advantages: Advantages) -> PlannerLoss:
    """−H(h(·|s)): a negative loss keeps plans spread out while learning."""

    def loss(planner: CategoricalPlanner, minibatch: Minibatch) -> Float[Array, ""]:
        log_h = planner.log_probabilities(advantages.state[minibatch[0]])
        return jnp.mean(jnp.sum(jnp.exp(log_h) * log_h, axis=-1))

    return loss


@dataclass(frozen=True)
class PlannerGradientMethod(Method):
    """The planner follows a policy gradient; subclasses say which, and what anchors it."""

    settings: OnPolicyAgnostic | OnPolicyCalibrated | OnPolicyDePO

    def planner_loss(
        self,
        advantages: Advantages,
        skill: CategoricalSkill,
        before: CategoricalPlanner,
        memory: Memory,
    ) -> PlannerLoss:
        """The loss on minibatches of the batch."""
        raise NotImplementedError

    def decoupled(
        self, advantages: Advantages, skill: CategoricalSkill, before: CategoricalPlanner
    ) -> PlannerLoss:
        """DePG, bound to the policy before if there is a bound."""
        s = self.settings
        if s.planner_clip and s.gradient == "exact":
            return clipped_decoupled_gradient(advantages, skill, before, s.planner_clip)
        return decoupled_gradient(advantages, skill, s.gradient)

    @property
    def demo_batch(self) -> int:
        """Expert transitions in a minibatch; one, which nobody looks at, where none are needed."""
        return 1

    def init(self, key: Key[Array, ""], shape: Spaces) -> Agent:
        """Planner, skill, critic and discriminator."""
        s, (states, actions) = self.settings, shape
        keys = jax.random.split(key, 4)
        planner = CategoricalPlanner(keys[0], states, (s.learning.hidden,) * 2)
        skill = CategoricalSkill(keys[1], states, actions, (s.learning.hidden,) * 3)
        critic = Critic(keys[2], states, (s.learning.hidden,) * 2)
        discriminator = Discriminator(keys[3], states, (s.learning.hidden,) * 3)
        return {
            "planner": fresh(planner, adam(s.planner.rate)),
            "skill": fresh(skill, adam(s.skill.rate)),
            "critic": fresh(critic, adam(s.critic.rate)),
            "discriminator": fresh(discriminator, adam(s.discriminator.rate)),
        }

    def policy(self, agent: Agent) -> DecoupledPolicy:
        """Planner, then skill."""
        return DecoupledPolicy(agent["planner"].model, agent["skill"].model)

    def update(
        self, agent: Agent, rollout: Rollout, memory: Memory, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """Skill, then planner and critic on the discriminator's reward, then discriminator."""
        agent, steps, metrics = self.prepare(agent, rollout, memory, expert, key)
        return self.update_planner(agent, steps, metrics)

    def prepare(
        self, agent: Agent, rollout: Rollout, memory: Memory, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, PlannerSteps, Metrics]:
        """All but the planner, which changes nothing of theirs, and the steps it takes then."""
        s = self.settings
        keys = jax.random.split(key, 4)
        wanted = plans(agent["planner"].model)
        skill, metrics = fit_skill(agent["skill"], memory, s.skill, wanted, keys[0])
        reward = adversarial_rewards(
            agent["discriminator"].model, rollout, expert, s.discriminator, s.learning.gamma
        )
        advantages = estimate_advantages(
            agent["critic"].model, rollout, reward, s.critic, s.learning.gamma
        )
        critic, critic_metrics = fit_critic(agent["critic"], advantages, s.critic, keys[2])
        discriminator, more = fit_discriminator(
            agent["discriminator"], rollout, expert, s.discriminator, keys[3]
        )
        reached = {"plan_reached": jnp.mean(rollout.plan == rollout.next_state)}
        prepared = agent | {"skill": skill, "critic": critic, "discriminator": discriminator}
        loss = self.planner_loss(advantages, skill.model, agent["planner"].model, memory)
        steps = self._planner_steps(advantages, loss, expert, keys[1])
        return prepared, steps, metrics | critic_metrics | more | reached

    def update_planner(
        self, agent: Agent, steps: PlannerSteps, metrics: Metrics
    ) -> tuple[Agent, Metrics]:
        """The planner's steps."""
        optimiser = adam(self.settings.planner.rate)
        planner, mean = descend(agent["planner"], optimiser, steps.loss, steps.batches)
        return agent | {"planner": planner}, metrics | {"planner_loss": mean}

    def _planner_steps(
        self, advantages: Advantages, loss: PlannerLoss, expert: Pairs, key: Key[Array, ""]
    ) -> PlannerSteps:
        s = self.settings
        order, draw, noise = jax.random.split(key, 3)
        rows = minibatches(order, advantages.state.shape[0], s.critic.minibatch, s.critic.epochs)
        loss = weighted_sum(
            (1.0, loss),
            (s.planner.entropy, entropy_bonus(advantages)),
        )
        count = rows.shape[0]
        pairs = expert_pairs(expert, draw, (count, self.demo_batch))
        return PlannerSteps(loss, (rows, pairs, jax.random.split(noise, count)))


@dataclass(frozen=True)
class AgnosticMethod(PlannerGradientMethod):
    """DePG only: nothing keeps the planner honest."""

    settings: OnPolicyAgnostic

    def planner_loss(
        self,
        advantages: Advantages,
        skill: CategoricalSkill,
        before: CategoricalPlanner,
        memory: Memory,
    ) -> PlannerLoss:
        """−E[A log Σ_s' h I]."""
        del memory
        return self.decoupled(advantages, skill, before)


@dataclass(frozen=True)
class CalibratedMethod(PlannerGradientMethod):
    """CDePG + λ_h·L_h: what the authors ran on the grid."""

    settings: OnPolicyCalibrated

    @property
    def demo_batch(self) -> int:
        """Expert transitions in a minibatch."""
        return self.settings.supervision.demo_batch

    def planner_loss(
        self,
        advantages: Advantages,
        skill: CategoricalSkill,
        before: CategoricalPlanner,
        memory: Memory,
    ) -> PlannerLoss:
        """c·CDePG + λ_h·L_h."""
        s = self.settings
        return weighted_sum(
            (s.calibration.weight, calibrated_gradient(advantages, s.calibration.form)),
            (anchor_weight(s.supervision, memory, skill), supervision),
        )


@dataclass(frozen=True)
class DePOMethod(PlannerGradientMethod):
    """The paper's method."""

    settings: OnPolicyDePO

    @property
    def demo_batch(self) -> int:
        """Expert transitions in a minibatch."""
        return self.settings.supervision.demo_batch

    def planner_loss(
        self,
        advantages: Advantages,
        skill: CategoricalSkill,
        before: CategoricalPlanner,
        memory: Memory,
    ) -> PlannerLoss:
        """DePG + c·CDePG + λ_h·L_h."""
        s = self.settings
        return weighted_sum(
            (1.0, self.decoupled(advantages, skill, before)),
            (s.calibration.weight, calibrated_gradient(advantages, s.calibration.form)),
            (anchor_weight(s.supervision, memory, skill), supervision),
        )

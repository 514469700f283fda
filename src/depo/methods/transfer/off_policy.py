"""Transfer on vectors: a planner that is given, a new skill, and perhaps fine-tuning later."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Key

from depo.data.transitions import Pairs, Transitions
from depo.losses import distal_skill
from depo.methods.depo.off_policy import DePOMethod
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy.method import STEADY, OffPolicyMethod, Pace, Shape
from depo.methods.off_policy.steps import (
    SkillSettings,
    new_critics,
    new_discriminator,
    new_skill,
    planner_optimiser,
    skill_optimiser,
    step,
    update_skill,
)
from depo.methods.optimisation import fresh
from depo.methods.transfer import OffPolicyTransfer
from depo.methods.transfer.frozen import FrozenPlanner
from depo.models.forward import Forward
from depo.models.mlp import MLP
from depo.models.planner import GaussianPlanner
from depo.models.skill import AnalyticSkill, DiscreteSkill, VectorSkill


@dataclass(frozen=True)
class TransferMethod(FrozenPlanner):
    """A step of the skill in every update.

    If the planner is to be fine-tuned, critics and discriminator learn from the beginning, so that
    they know the policy when the planner begins to follow them.
    """

    settings: OffPolicyTransfer
    pace: Pace = STEADY

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """A fresh skill, and for fine-tuning critics and discriminator; :meth:`with_planner` adds
        the planner."""
        s = self.settings
        keys = jax.random.split(key, 3)
        skill = new_skill(keys[0], shape, s, self.pace, s.noise.noise, s.skill_modes)
        agent: Agent = {"skill": skill}
        if s.skill_fit == "effects":
            forward = new_forward(jax.random.fold_in(keys[0], 1), shape, s)
            agent |= {"forward": fresh(forward, skill_optimiser(s.skill, self.pace))}
        if s.fine_tuning is None:
            return agent
        return agent | {
            **new_discriminator(keys[1], shape, s.of_depo(), self.pace),
            **new_critics(keys[2], shape, s.of_depo(), self.pace),
        }

    def with_planner(self, agent: Agent, planner: GaussianPlanner) -> Agent:
        """The agent with this planner; for fine-tuning with an optimiser."""
        if self.settings.fine_tuning is None:
            return super().with_planner(agent, planner)
        return agent | {"planner": fresh(planner, self._fine_tuning().planner_optimiser())}

    @property
    def samples_plans(self) -> bool:
        """Whether plans are sampled while gathering."""
        return self.settings.sampling.sample

    def after(self, steps: int) -> OffPolicyMethod:
        """This method; from ``unfreeze_after`` on fine-tuning."""
        tuning = self.settings.fine_tuning
        return self if tuning is None or steps < tuning.unfreeze_after else self._fine_tuning()

    def update(
        self,
        agent: Agent,
        recent: Transitions,
        experience: Transitions,
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Agent, Metrics]:
        """A step of the skill, and of critics and discriminator where they will be needed."""
        metrics: Metrics = {}
        if self.settings.fine_tuning is not None:
            tuning, keys = self._fine_tuning(), jax.random.split(key)
            agent, _, metrics = tuning.update_critics(agent, recent, expert, keys)
        agent, fit = super().update(agent, recent, experience, expert, key)
        return agent, metrics | fit

    def fit_skill(
        self, agent: Agent, recent: Transitions, experience: Transitions, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """A step towards the actions taken or the effects wanted."""
        return fit_skill(agent, recent, experience, self.settings, self.pace, key)

    def _fine_tuning(self) -> FineTuningMethod:
        return FineTuningMethod(self.settings.of_depo(), self.pace, self.settings)


@dataclass(frozen=True)
class FineTuningMethod(DePOMethod):
    """DePO's own updates, beginning with a planner that is given."""

    transfer: OffPolicyTransfer = OffPolicyTransfer()

    def planner_optimiser(self) -> optax.GradientTransformation:
        """The planner's rate has fallen as far as the others' when it begins to learn."""
        s = self.transfer
        assert s.fine_tuning is not None
        waited = max(0, s.fine_tuning.unfreeze_after - s.exploration.random_steps)
        pace = self.pace.joined_after(round(waited * s.learning.updates_per_step))
        return planner_optimiser(self.settings, pace)

    def fit_skill(
        self, agent: Agent, batch: Transitions, wide: Transitions, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """A step of the skill as in the transfer before."""
        return fit_skill(agent, batch, wide, self.transfer, self.pace, key)


def new_forward(key: Key[Array, ""], shape: Shape, s: SkillSettings) -> Forward:
    """A forward model as large as the skill that learns through it."""
    network = MLP(
        key,
        shape.normaliser.mean.shape[0] + shape.actions,
        shape.layers(s.skill.hidden, s.skill.depth),
        len(shape.predicts),
    )
    return Forward(network, jnp.ones(len(shape.predicts)))


def fit_skill(
    agent: Agent,
    batch: Transitions,
    wide: Transitions,
    s: OffPolicyTransfer,
    pace: Pace,
    key: Key[Array, ""],
) -> tuple[Agent, Metrics]:
    """A step of the skill towards the actions taken or the effects wanted."""
    if s.skill_fit == "effects" and not isinstance(agent["skill"].model, AnalyticSkill):
        return fit_by_effects(agent, batch, wide, s, pace, key)
    skill, metrics = update_skill(agent["skill"], wide, s.skill, pace)
    return agent | {"skill": skill}, metrics


def fit_by_effects(
    agent: Agent,
    batch: Transitions,
    wide: Transitions,
    s: OffPolicyTransfer,
    pace: Pace,
    key: Key[Array, ""],
) -> tuple[Agent, Metrics]:
    """A step of the forward model, then of the skill through it: towards states that were
    really reached, and towards plans."""
    optimiser = skill_optimiser(s.skill, pace)
    planner = agent["planner"].model
    forward, error, _ = step(
        agent["forward"],
        optimiser,
        lambda model: (
            distal_skill.forward_loss(model, planner, wide.state, wide.action, wide.next_state),
            None,
        ),
    )
    states = jnp.concatenate([wide.state, batch.state])
    if s.sampling.sample:
        plans = planner.sample(batch.state, jax.random.fold_in(key, 1))
    else:
        plans = planner.mode(batch.state)
    targets = jnp.concatenate([planner.select(wide.next_state), plans])

    def loss(model: VectorSkill | DiscreteSkill) -> tuple[Float[Array, ""], Float[Array, ""]]:
        if isinstance(model, DiscreteSkill):
            missed, outputs = distal_skill.of_choices(
                model, forward.model, planner, states, targets
            )
        else:
            missed = distal_skill.skill_loss(model, forward.model, planner, states, targets)
            outputs = model.before_tanh(states, targets).mean
        return missed + s.skill_output.penalty * jnp.mean(outputs**2), missed

    skill, _, missed = step(agent["skill"], optimiser, loss)
    changed = {"forward": forward, "skill": skill}
    return agent | changed, {"forward_loss": error, "skill_loss": missed}

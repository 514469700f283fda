"""Transfer on vectors: a planner that is given, a new skill, and perhaps fine-tuning later."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.losses import distal_skill
from depo.methods.descent import Trained, fresh
from depo.methods.off_policy.depo import DePOMethod
from depo.methods.off_policy.method import (
    Agent,
    Batch,
    Metrics,
    OffPolicyMethod,
    Pace,
    Pairs,
    Shape,
)
from depo.methods.off_policy.parts import (
    new_critics,
    new_discriminator,
    new_skill,
    planner_optimiser,
    skill_optimiser,
    step,
)
from depo.models.forward import Forward
from depo.models.mlp import MLP
from depo.models.planner import GaussianPlanner
from depo.models.skill import AnalyticSkill, VectorSkill
from depo.settings.off_policy import SkillTransfer


@dataclass(frozen=True)
class FineTuningMethod(DePOMethod):
    """DePO's own updates, beginning with a planner that is given."""

    settings: SkillTransfer

    @property
    def planner_pace(self) -> Pace:
        """The planner's rate has fallen as far as the others' when it begins to learn."""
        s = self.settings
        waited = max(0, (s.unfreeze_after or 0) - s.random_steps)
        return self.pace.joined_after(round(waited * s.updates_per_step))

    def fit_skill(
        self, agent: Agent, batch: Batch, wide: Batch, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """A step of the skill towards the actions taken or the effects wanted."""
        if self.settings.skill_fit == "actions" or isinstance(agent["skill"].model, AnalyticSkill):
            return super().fit_skill(agent, batch, wide, key)
        return self.fit_by_effects(agent, batch, wide, key)

    def fit_by_effects(
        self, agent: Agent, batch: Batch, wide: Batch, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """A step of the forward model, then of the skill through it: towards states that were
        really reached, and towards plans."""
        optimiser = skill_optimiser(self.settings, self.pace)
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
        if self.settings.sample_plans:
            plans = planner.sample(batch.state, jax.random.fold_in(key, 1))
        else:
            plans = planner.mode(batch.state)
        targets = jnp.concatenate([planner.select(wide.next_state), plans])

        def loss(model: VectorSkill) -> tuple[Float[Array, ""], Float[Array, ""]]:
            missed = distal_skill.skill_loss(model, forward.model, planner, states, targets)
            before_tanh = model.before_tanh(states, targets).mean
            return missed + self.settings.output_penalty * jnp.mean(before_tanh**2), missed

        skill, _, missed = step(agent["skill"], optimiser, loss)
        changed = {"forward": forward, "skill": skill}
        return agent | changed, {"forward_loss": error, "skill_loss": missed}


@dataclass(frozen=True)
class TransferMethod(FineTuningMethod):
    """The planner is given and stands still; the skill is learned from scratch.

    If it is to be fine-tuned, critics and discriminator learn from the beginning, so that they
    know the policy when the planner begins to follow them.
    """

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """A fresh skill, and for fine-tuning the judges; :meth:`with_planner` adds the planner."""
        s = self.settings
        keys = jax.random.split(key, 3)
        agent: Agent = {"skill": new_skill(keys[0], shape, s, self.pace)}
        if s.skill_fit == "effects":
            network = MLP(
                jax.random.fold_in(keys[0], 1),
                shape.standard.mean.shape[0] + shape.actions,
                (s.skill_hidden,) * s.skill_depth,
                len(shape.predicts),
            )
            forward = Forward(network, jnp.ones(len(shape.predicts)))
            agent |= {"forward": fresh(forward, skill_optimiser(s, self.pace))}
        if s.unfreeze_after is None:
            return agent
        return agent | {
            **new_discriminator(keys[1], shape, s, self.pace),
            **new_critics(keys[2], shape, s, self.pace),
        }

    def with_planner(self, agent: Agent, planner: GaussianPlanner) -> Agent:
        """The agent with this planner; without fine-tuning it has no optimiser to move it."""
        s = self.settings
        if s.unfreeze_after is None:
            return agent | {"planner": Trained(planner, None)}
        return agent | {"planner": fresh(planner, planner_optimiser(s, self.planner_pace))}

    def after(self, steps: int) -> OffPolicyMethod:
        """The method from so many steps on: this one, or fine-tuning once the planner is free."""
        free = self.settings.unfreeze_after
        return self if free is None or steps < free else FineTuningMethod(self.settings, self.pace)

    def update(
        self, agent: Agent, batch: Batch, wide: Batch, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """A step of the skill, and of the judges where they will be needed."""
        s = self.settings
        metrics: Metrics = {}
        if s.unfreeze_after is not None:
            agent, _, metrics = self.improve_judges(agent, batch, expert, jax.random.split(key))
        agent, fit = self.fit_skill(agent, batch, wide, key)
        return agent, metrics | fit

"""GSP on vectors: skill, forward model and goal recogniser from exploration; no reward."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import jax
import optax
from jaxtyping import Array, Float, Key

from depo.core.errors import DepoError
from depo.data.transitions import Pairs, Transitions
from depo.losses import distal_skill, forward_consistency
from depo.methods.gsp import OffPolicyGSP
from depo.methods.method import Agent, Method, Metrics
from depo.methods.off_policy import settings as parts
from depo.methods.off_policy.method import STEADY, Pace, Shape
from depo.methods.off_policy.steps import new_skill, skill_loss, skill_optimiser, step
from depo.methods.optimisation import fresh
from depo.methods.transfer.off_policy import new_forward
from depo.models.following_planner import FollowingPlanner, first_episode
from depo.models.policy import DecoupledPolicy
from depo.models.skill import DiscreteSkill, VectorSkill


class SkillParts(NamedTuple):
    """What making a skill reads of a method's settings."""

    pair_view: parts.PairView
    """Goals are seen from where one is."""
    skill: parts.Skill


@dataclass(frozen=True)
class GSPMethod(Method):
    """``wide`` has the rows of ``batch``, with a goal some steps ahead as what was reached."""

    settings: OffPolicyGSP
    pace: Pace = STEADY

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """The demonstration with a recogniser, skill and forward model."""
        s = self.settings
        if shape.expert is None:
            raise DepoError("gsp follows a demonstration: give --demos")
        keys = jax.random.split(key, 3)
        skill = SkillParts(parts.PairView(), s.goal_skill.part())
        route, length = first_episode(shape.expert, s.goals.rows)
        planner = FollowingPlanner(
            keys[0],
            shape.normaliser,
            shape.layers(s.networks.hidden),
            route,
            length,
            shape.predicts,
            parts.steps_ahead(s, len(shape.predicts), shape.actions),
        )
        return {
            "planner": fresh(planner, self.recogniser_optimiser()),
            "skill": new_skill(keys[1], shape, skill, self.pace, s.noise.noise),
            "forward": fresh(new_forward(keys[2], shape, skill), self.forward_optimiser()),
        }

    def recogniser_optimiser(self) -> optax.GradientTransformation:
        """Of the goal recogniser."""
        s = self.settings
        return self.pace.adam(s.goals.recogniser_rate, s.networks.adam_beta)

    def forward_optimiser(self) -> optax.GradientTransformation:
        """Of the forward model."""
        return self.pace.adam(self.settings.goals.forward_rate)

    def policy(self, agent: Agent) -> DecoupledPolicy:
        """The next goal, then the skill."""
        return DecoupledPolicy(agent["planner"].model, agent["skill"].model, spread=False)

    def update(
        self,
        agent: Agent,
        batch: Transitions,
        wide: Transitions,
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Agent, Metrics]:
        """Forward model, then the skill through it, then the recogniser."""
        s, planner = self.settings, agent["planner"].model
        forward, error, _ = step(
            agent["forward"],
            self.forward_optimiser(),
            lambda model: (
                distal_skill.forward_loss(
                    model, planner, batch.state, batch.action, batch.next_state
                ),
                None,
            ),
        )

        def loss(
            model: VectorSkill | DiscreteSkill,
        ) -> tuple[Float[Array, ""], Float[Array, ""]]:
            taken = skill_loss(model, wide.state, wide.next_state, wide.action)
            missed = forward_consistency.consistency(
                model, forward.model, planner, batch.state, batch.next_state, wide.next_state
            )
            return taken + s.goals.consistency * missed, taken

        skill, _, taken = step(
            agent["skill"], skill_optimiser(s.goal_skill.part(), self.pace), loss
        )
        recogniser, recognised, _ = step(
            agent["planner"],
            self.recogniser_optimiser(),
            lambda model: (
                forward_consistency.recognition(model, batch.state, batch.next_state),
                None,
            ),
        )
        metrics = {"forward_loss": error, "skill_loss": taken, "recogniser_loss": recognised}
        return {"planner": recogniser, "skill": skill, "forward": forward}, metrics

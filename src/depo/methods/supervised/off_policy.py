"""What supervised DePO uses on vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jaxtyping import Array, Key

from depo.data.transitions import Pairs, Transitions
from depo.methods.method import Metrics
from depo.methods.off_policy.method import STEADY, Pace, Shape
from depo.methods.off_policy.steps import (
    fit_planner,
    new_planner,
    new_skill,
    planner_optimiser,
    update_skill,
)
from depo.methods.optimisation import Trained
from depo.methods.supervised import OffPolicySupervised
from depo.methods.supervised.method import SupervisedMethod
from depo.models.planner import GaussianPlanner
from depo.models.policy import DecoupledPolicy
from depo.models.skill import AnalyticSkill, DiscreteSkill, VectorSkill


@dataclass(frozen=True)
class VectorFitting:
    """One step of each in every update."""

    settings: OffPolicySupervised
    pace: Pace = STEADY

    def new_planner(self, key: Key[Array, ""], shape: Shape) -> Trained[GaussianPlanner]:
        """A planner about to be trained."""
        return new_planner(key, shape, self.settings, self.pace)

    def new_skill(self, key: Key[Array, ""], shape: Shape) -> Trained[VectorSkill | DiscreteSkill]:
        """A skill about to be fitted."""
        return new_skill(key, shape, self.settings, self.pace, self.settings.noise.noise)

    def policy(
        self, planner: GaussianPlanner, skill: VectorSkill | DiscreteSkill | AnalyticSkill
    ) -> DecoupledPolicy:
        """Planner, then skill."""
        return DecoupledPolicy(planner, skill, spread=self.settings.sampling.sample)

    def keys(self, key: Key[Array, ""]) -> tuple[Key[Array, ""], Key[Array, ""]]:
        """The skill's step draws nothing: all of it is the planner's."""
        return key, key

    def fit_skill(
        self,
        skill: Trained[VectorSkill | DiscreteSkill],
        experience: Transitions,
        planner: Any,
        key: Key[Array, ""],
    ) -> tuple[Trained[VectorSkill | DiscreteSkill], Metrics]:
        """One step."""
        return update_skill(skill, experience, self.settings.skill, self.pace)

    def fit_planner(
        self,
        planner: Trained[GaussianPlanner],
        recent: Transitions,
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Trained[GaussianPlanner], Metrics]:
        """One step on as many expert transitions as there are recent ones."""
        s, size = self.settings, recent.state.shape[0]
        optimiser = planner_optimiser(s, self.pace)
        return fit_planner(planner, expert, size, s.supervision_loss, optimiser, key)


def build(settings: OffPolicySupervised, pace: Pace = STEADY) -> SupervisedMethod:
    """The method on vectors."""
    return SupervisedMethod(settings, VectorFitting(settings, pace))

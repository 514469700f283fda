"""What supervised DePO uses on vectors."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.data.transitions import Pairs, Transitions
from depo.losses import supervised_planner
from depo.methods.method import Metrics
from depo.methods.off_policy.method import STEADY, Pace, Shape
from depo.methods.off_policy.steps import (
    draw_pairs,
    new_planner,
    new_skill,
    planner_optimiser,
    step,
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
        s = self.settings
        draw, guess = jax.random.split(key)
        state, next_state = draw_pairs(expert, draw, recent.state.shape[0])

        def loss(planner: GaussianPlanner) -> tuple[Float[Array, ""], Float[Array, ""]]:
            plan = planner.distribution(state)
            difference = planner.difference(state, planner.select(next_state))
            spread = jnp.mean(jnp.exp(plan.log_std))
            form = s.supervision_loss
            return supervised_planner.of_distribution(plan, difference, form, guess), spread

        planner, value, spread = step(planner, planner_optimiser(s, self.pace), loss)
        return planner, {"planner_loss": value, "plan_spread": spread}


def build(settings: OffPolicySupervised, pace: Pace = STEADY) -> SupervisedMethod:
    """The method on vectors."""
    return SupervisedMethod(settings, VectorFitting(settings, pace))

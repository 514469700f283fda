"""What BCO uses on vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import optax
from jaxtyping import Array, Float, Key

from depo.data.transitions import Pairs, Transitions
from depo.losses import behaviour_cloning
from depo.methods.bco import OffPolicyBCO
from depo.methods.bco.method import BCOMethod, Keys
from depo.methods.method import Metrics
from depo.methods.off_policy.method import STEADY, Pace, Shape
from depo.methods.off_policy.settings import SkillNoise
from depo.methods.off_policy.steps import draw_pairs, new_actor, new_skill, step, update_skill
from depo.methods.optimisation import Trained, fresh
from depo.models.policy import DiscreteActor, GaussianActor
from depo.models.skill import AnalyticSkill, DiscreteSkill, VectorSkill

Actor = GaussianActor | DiscreteActor


@dataclass(frozen=True)
class VectorCloning:
    """One step of each in every update, towards means or towards samples."""

    settings: OffPolicyBCO
    pace: Pace = STEADY

    def new_actor(self, key: Key[Array, ""], shape: Shape) -> Trained[Actor]:
        """A policy about to be trained."""
        actor = new_actor(key, shape, shape.layers(self.settings.networks.hidden))
        return fresh(actor, self._optimiser())

    def new_skill(self, key: Key[Array, ""], shape: Shape) -> Trained[VectorSkill | DiscreteSkill]:
        """A skill about to be fitted."""
        s = self.settings
        noise = None if s.clone_samples else SkillNoise().noise  # nobody samples the latter
        return new_skill(key, shape, s, self.pace, noise)

    def keys(self, key: Key[Array, ""]) -> Keys:
        """The skill is fitted by samples only where they are cloned."""
        draw, label, clone, fit = jax.random.split(key, 4)
        return Keys(fit if self.settings.clone_samples else None, draw, label, clone)

    def fit_skill(
        self,
        skill: Trained[VectorSkill | DiscreteSkill],
        experience: Transitions,
        expert: Any,
        key: Key[Array, ""] | None,
    ) -> tuple[Trained[VectorSkill | DiscreteSkill], Metrics]:
        """One step."""
        return update_skill(skill, experience, self.settings.skill, self.pace, key)

    def draw(
        self, expert: Pairs, recent: Transitions, key: Key[Array, ""]
    ) -> tuple[Float[Array, "batch sees"], Float[Array, "batch sees"]]:
        """As many as there are recent ones."""
        return draw_pairs(expert, key, recent.state.shape[0])

    def label(
        self,
        skill: VectorSkill | DiscreteSkill | AnalyticSkill,
        state: Float[Array, "batch sees"],
        next_state: Float[Array, "batch sees"],
        key: Key[Array, ""],
    ) -> Float[Array, "batch actions"]:
        """Means, or samples."""
        target = skill.select(next_state)
        if self.settings.clone_samples:
            return skill.sample(state, target, key)
        return skill.mode(state, target)

    def clone(
        self,
        actor: Trained[Actor],
        state: Float[Array, "batch sees"],
        label: Float[Array, "batch actions"],
        key: Key[Array, ""],
    ) -> tuple[Trained[Actor], Float[Array, ""]]:
        """One step of squared error, of cross-entropy where actions are discrete."""
        samples = self.settings.clone_samples

        def loss(actor: Actor) -> tuple[Float[Array, ""], None]:
            if isinstance(actor, DiscreteActor):
                return behaviour_cloning.of_choices(actor, state, label), None
            decision = actor.sample(state, key) if samples else actor.mode(state)
            return behaviour_cloning.squared(decision.action, label), None

        actor, value, _ = step(actor, self._optimiser(), loss)
        return actor, value

    def _optimiser(self) -> optax.GradientTransformation:
        s = self.settings
        return self.pace.adam(s.actor_rate, s.networks.adam_beta)


def build(settings: OffPolicyBCO, pace: Pace = STEADY) -> BCOMethod:
    """The method on vectors."""
    return BCOMethod(settings, VectorCloning(settings, pace))

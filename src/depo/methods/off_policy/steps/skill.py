"""The skill, and the step that fits it to experience."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import optax
from jaxtyping import Array, Float, Key

from depo.core.errors import DepoError
from depo.data.transitions import Transitions
from depo.losses import best_of_modes, inverse_dynamics
from depo.methods.method import Metrics
from depo.methods.off_policy import settings as parts
from depo.methods.off_policy.method import STEADY, Pace, Shape
from depo.methods.off_policy.steps.gradient import step
from depo.methods.optimisation import Trained, fresh
from depo.models.skill import AnalyticSkill, DiscreteSkill, VectorSkill


@runtime_checkable
class SkillSettings(Protocol):
    """What the steps of a skill read of a method's settings."""

    @property
    def pair_view(self) -> parts.PairView:
        """How transitions are seen."""

    @property
    def skill(self) -> parts.Skill:
        """The skill."""


def new_skill(
    key: Key[Array, ""],
    shape: Shape,
    s: SkillSettings,
    pace: Pace,
    noise: float | None,
    modes: int = 1,
) -> Trained[VectorSkill | DiscreteSkill]:
    """A skill about to be fitted; without ``noise`` it learns its own. Over discrete actions it
    spreads as it is unsure, whatever the noise."""
    hidden = shape.layers(s.skill.hidden, s.skill.depth)
    view = shape.skill_input(s.pair_view.input)
    model: VectorSkill | DiscreteSkill
    if shape.choices:
        if modes > 1:
            raise DepoError(
                f"skill_modes {modes} are for vectors of actions: a skill over discrete ones has a "
                "probability for each, pass --skill-modes 1"
            )
        model = DiscreteSkill(
            key, shape.skill_normaliser, shape.choices, hidden, shape.predicts, view
        )
    else:
        model = VectorSkill(
            key,
            shape.skill_normaliser,
            shape.actions,
            hidden,
            predicts=shape.predicts,
            noise=noise,
            pair_input=view,
            modes=modes,
        )
    return fresh(model, skill_optimiser(s.skill, pace))


def skill_optimiser(s: parts.Skill, pace: Pace) -> optax.GradientTransformation:
    """Refits have their own number of steps, so their rate stays."""
    return pace.adam(s.rate) if s.schedule != "refit" else STEADY.adam(s.rate)


def skill_loss(
    skill: VectorSkill | DiscreteSkill,
    state: Float[Array, "batch sees"],
    next_state: Float[Array, "batch sees"],
    action: Float[Array, "batch actions"],
    key: Key[Array, ""] | None = None,
) -> Float[Array, ""]:
    """The loss that fits a skill of one mode, or of several, or over discrete actions."""
    if isinstance(skill, DiscreteSkill):
        return inverse_dynamics.of_choices(skill, state, next_state, action)
    if skill.modes > 1:
        return best_of_modes.loss(skill, state, next_state, action)
    return inverse_dynamics.squared(skill, state, next_state, action, key)


def update_skill(
    trained: Trained[Any],
    batch: Transitions,
    s: parts.Skill,
    pace: Pace,
    key: Key[Array, ""] | None = None,
) -> tuple[Trained[Any], Metrics]:
    """One step of the skill's loss, unless it is a formula or refitted at intervals instead; with a
    key on random actions, which teaches the skill how much to spread them."""
    if s.schedule == "refit" or isinstance(trained.model, AnalyticSkill):
        return trained, {}

    def loss(model: VectorSkill | DiscreteSkill) -> tuple[Float[Array, ""], None]:
        rows = (batch.state, batch.next_state, batch.action)
        return skill_loss(model, *rows, key=key), None

    trained, value, _ = step(trained, skill_optimiser(s, pace), loss)
    return trained, {"skill_loss": value}

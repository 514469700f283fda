"""The skill: how it is fitted, how it explores, and what a formula makes idle. No JAX here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from depo.methods.settings_tree import Facts, Heading, Part, Rule, named

SkillFit = Literal["actions", "effects"]
SkillSchedule = Literal["every-update", "refit"]


@dataclass(frozen=True)
class Refits(Part):
    """Fitting the skill to convergence at intervals."""

    heading: ClassVar[Heading] = "skill"
    every: int = named(10_000, "refit_every")
    """Refits: environment steps between them."""
    patience: int = named(5, "refit_patience")
    """Refits: passes without 1% gain on the held-out transitions before stopping."""
    passes: int = named(100, "refit_passes")
    """Refits: at most this many passes over the data."""


@dataclass(frozen=True)
class FirstFit(Part):
    """The first refit, which has no validation."""

    heading: ClassVar[Heading] = "skill"
    passes: int = named(100, "first_fit_passes")
    """Refits: passes in the first one, which has no validation."""


@dataclass(frozen=True)
class Skill(Part):
    """Fitting the skill to experience by squared error."""

    heading: ClassVar[Heading] = "skill"
    rate: float = named(3e-4, "skill_rate")
    """Adam's learning rate for the skill."""
    hidden: int = named(256, "skill_hidden", derived=True)
    """Units in its hidden layers; 0: by the number of features and actions."""
    depth: int = named(2, "skill_depth")
    """Hidden layers of the skill."""
    memory: bool = named(False, "skill_memory")
    """Whether the skill also sees the state before: where observations are clipped or delayed,
    (s,s') alone does not tell the action. The planner never does."""
    replay: int = named(1_000_000, "skill_replay")
    """The newest transitions the skill learns from."""
    schedule: SkillSchedule = named("every-update", "skill_schedule")
    """One skill step beside every other update, or refits to convergence at intervals."""
    refits: Refits = Refits()
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            ("refit_every", "refit_patience", "refit_passes"),
            lambda part, _: part.schedule != "refit",
            "skill_schedule is not 'refit'",
        ),
        Rule(
            (
                "skill_rate",
                "skill_hidden",
                "skill_depth",
                "skill_schedule",
                "refit_every",
                "refit_patience",
                "refit_passes",
            ),
            lambda _, facts: bool(facts.formula),
            "the skill is a formula, which learns nothing",
        ),
    )


def is_formula(_: Any, facts: Facts) -> bool:
    """Whether the skill learns nothing."""
    return bool(facts.formula)


@dataclass(frozen=True)
class SkillNoise(Part):
    """How the skill explores."""

    heading: ClassVar[Heading] = "exploration"
    noise: float = 0.3
    """σ of the fixed Gaussian noise before the skill's tanh while exploring."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(("noise",), is_formula, "the skill is a formula, which has no noise"),
    )


@dataclass(frozen=True)
class SkillOutput(Part):
    """What keeps the skill's output in bounds."""

    heading: ClassVar[Heading] = "skill"
    penalty: float = named(0.0, "output_penalty")
    """Weight of the mean square of the skill's output before the tanh."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(("output_penalty",), is_formula, "the skill is a formula, which has no tanh"),
    )


ONLY_SKILL_SEES_PAIRS = Rule(
    ("pair_input",), is_formula, "the skill is a formula, and nothing else sees pairs"
)
"""For methods without a discriminator."""


STEPS_ARE_DIFFERENCES = Rule(
    ("pair_input",),
    lambda s, _: s.coordinates.standardise and s.coordinates.step_units,
    "with step_units the skill sees (s, s'−s), and nothing else sees pairs",
)
"""For methods without a discriminator, where plans are in steps."""


FIRST_OF_REFITS = Rule(
    ("first_fit_passes",),
    lambda s, facts: s.skill.schedule != "refit" or bool(facts.formula),
    "skill_schedule is not 'refit'",
)

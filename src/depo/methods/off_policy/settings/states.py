"""Which demonstrations are seen, and how networks see states and pairs of them. No JAX here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from depo.methods.settings_tree import Heading, Part, Rule, named

PairInput = Literal["difference", "states"]


@dataclass(frozen=True)
class Demos(Part):
    """Which demonstrations are seen."""

    heading: ClassVar[Heading] = "data"
    episodes: int = named(4, "demo_episodes", derived=True)
    """Episodes each seed draws from the demonstrations; the others are held out. 0: four, and more
    where episodes are short, until there are 4,000 states."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            ("demo_episodes",),
            lambda _, facts: not facts.has_demonstrations,
            "there are no demonstrations: give --demos too",
        ),
    )


@dataclass(frozen=True)
class Coordinates(Part):
    """The units that networks see states in."""

    heading: ClassVar[Heading] = "data"
    standardise: bool = True
    """States in units of mean and standard deviation: of the drawn demonstrations; where there are
    none, of the steps before the first update, fixed there for good."""
    clip: float = named(20.0, "clip_states")
    """Bound on standardised coordinates; 0: none."""
    step_units: bool = False
    """Whether plans, and targets as the skill sees them, are differences in units of each feature's
    typical step, instead of its deviation: of the same states as above."""
    wide_units: bool = False
    """Whether these units grow if the steps before the first update are typically beyond
    clip_states (an expert that balances hardly moves): a step to as far as they move, a deviation
    half the way to theirs, in orders of magnitude."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            ("clip_states", "step_units", "wide_units"),
            lambda part, _: not part.standardise,
            "standardise is off",
        ),
        Rule(
            ("wide_units",),
            lambda _, facts: not facts.has_demonstrations,
            "there are no demonstrations whose units could grow",
        ),
    )


@dataclass(frozen=True)
class PairView(Part):
    """How models see a transition."""

    heading: ClassVar[Heading] = "data"
    input: PairInput = named("difference", "pair_input")
    """How skill and discriminator see (s,s'): as (s, s'−s), or as (s, s'). With step_units the
    skill sees (s, s'−s)."""

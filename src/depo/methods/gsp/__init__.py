"""Goal-conditioned skill policy: a skill from exploration follows a demonstration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from depo.methods.off_policy import presets, settings
from depo.methods.registry import OFF_POLICY, Implementation, MethodSpec, deferred
from depo.methods.settings_tree import Heading, MethodSettings, Part, named


@dataclass(frozen=True)
class Goals(Part):
    """Goals: those the skill learns to reach, and those of the demonstration."""

    heading: ClassVar[Heading] = "skill"
    ahead: int = named(0, "goals_ahead", derived=True)
    """Steps between a state and a goal that was reached from it, and between where one is on the
    recording and the next goal; 0: twice the features of a goal for each number of an action."""
    consistency: float = 1.0
    """λ: weight of ‖f(s, I(s,g)) − s'‖², which takes an action that does the same for right."""
    forward_rate: float = 3e-4
    """Adam's learning rate for the forward model."""
    recogniser_rate: float = named(3e-4, "recogniser_rate", heading="planner")
    """Adam's learning rate for the goal recogniser."""
    rows: int = named(1_000, "route_rows", heading="planner")
    """States of the demonstration that are followed, at most: the first episode's first ones."""

    def problems(self) -> Iterator[str]:
        """Somewhere to go to."""
        if self.rows < 2:
            yield f"route_rows {self.rows} is no way: give 2 or more"


@dataclass(frozen=True)
class GoalSkill(Part):
    """The skill, which learns from all steps there ever were."""

    heading: ClassVar[Heading] = "skill"
    rate: float = named(3e-4, "skill_rate")
    """Adam's learning rate for the skill."""
    hidden: int = named(256, "skill_hidden", derived=True)
    """Units in its hidden layers; 0: by the number of features and actions."""
    depth: int = named(2, "skill_depth")
    """Hidden layers of the skill."""

    def part(self) -> settings.Skill:
        """As methods with nearer goals have it."""
        return settings.Skill(rate=self.rate, hidden=self.hidden, depth=self.depth)


@dataclass(frozen=True)
class OffPolicyGSP(MethodSettings):
    """Goal-conditioned skill policy: follows one demonstration by a skill from exploration."""

    collection: settings.Collection = settings.Collection(replay=1_000_000, termination="zero")
    exploration: settings.Exploration = settings.Exploration(epsilon=0.3)
    noise: settings.SkillNoise = settings.SkillNoise()
    learning: settings.Learning = settings.Learning()
    saving: settings.Saving = settings.Saving()
    networks: settings.Networks = settings.Networks()
    demos: settings.Demos = settings.Demos(episodes=1)
    coordinates: settings.Coordinates = settings.Coordinates(step_units=True)
    features: settings.Features = settings.Features()
    goals: Goals = Goals()
    goal_skill: GoalSkill = GoalSkill()
    absent: ClassVar = {"gamma": settings.NO_RETURN}


_FAST: dict[str, Any] = {
    **presets.FAST,
    **presets.FAST_SKILL,
    "forward_rate": 1e-3,
    "wide_units": True,
}
"""The skill learns where the agent gets to, which may be far from an expert that hardly moves."""

METHODS = (
    MethodSpec(
        name="gsp",
        summary="Goal-conditioned skill policy: a skill from exploration follows one recording.",
        colour="#00695c",
        exports=("planner", "skill"),
        implementations={
            OFF_POLICY: Implementation(
                settings=OffPolicyGSP,
                build=deferred("depo.methods.gsp.off_policy:GSPMethod"),
                default_steps=presets.DEFAULT_STEPS,
                presets={"fast": _FAST, "paper": {"epsilon": 1.0, "average": 0.0}},
            ),
        },
    ),
)

"""Neural decisions, executed by controllers made by hand; a discriminator's reward."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from depo.methods.off_policy import presets, settings
from depo.methods.registry import OFF_POLICY, Implementation, MethodSpec, deferred
from depo.methods.settings_tree import Heading, MethodSettings, Part, Rule, named


@dataclass(frozen=True)
class Decisions(Part):
    """How decisions learn from what came of them."""

    heading: ClassVar[Heading] = "planner"
    steps: int = named(5, "decision_steps")
    """Steps in which the controllers carry a decision out: its unit is as many typical steps."""
    count: int = named(8, "decisions")
    """Decisions that are compared in each state of a minibatch."""
    entropy: float = named(0.01, "entropy")
    """Weight of the decisions' entropy, per number."""

    def problems(self) -> Iterator[str]:
        """Something to compare, some time from now."""
        if self.count < 2:
            yield f"decisions {self.count} cannot be compared: give 2 or more"
        if self.steps < 1:
            yield f"decision_steps {self.steps} is no time to carry anything out: give 1 or more"


@dataclass(frozen=True)
class OffPolicyPIDGAIL(MethodSettings):
    """Neural decisions, controllers made by hand, reward from D(s,s'); no gradient through them."""

    collection: settings.Collection = settings.Collection()
    exploration: settings.Exploration = settings.Exploration()
    learning: settings.Learning = settings.Learning()
    saving: settings.Saving = settings.Saving()
    networks: settings.Networks = settings.Networks()
    demos: settings.Demos = settings.Demos()
    coordinates: settings.Coordinates = settings.Coordinates()
    pair_view: settings.PairView = settings.PairView()
    features: settings.Features = settings.Features()
    planner: settings.Planner = settings.Planner()
    decisions: Decisions = Decisions()
    critic: settings.Critic = settings.Critic()
    discriminator: settings.Discriminator = settings.Discriminator()
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            ("decision_steps",),
            lambda s, _: not (s.coordinates.standardise and s.coordinates.step_units),
            "decisions are not in steps: step_units is off",
        ),
        *settings.ENDS,
    )


_DRIVING: dict[str, Any] = {"depo/Driving-v0": {"step_units": True}}

METHODS = (
    MethodSpec(
        name="pid-gail",
        summary="Neural decisions, controllers made by hand: a discriminator's reward, on driving.",
        colour="#6d4c41",
        has_skill=True,
        needs_controllers=True,
        exports=("planner",),
        implementations={
            OFF_POLICY: Implementation(
                settings=OffPolicyPIDGAIL,
                build=deferred("depo.methods.pid_gail.off_policy:PIDGAILMethod"),
                default_steps=presets.DEFAULT_STEPS,
                presets={
                    "fast": {**presets.FAST, **presets.FAST_REWARD},
                    "paper": {
                        **presets.AUTHORS_PAIRS,
                        "reward": "-log(1-d)",
                        "termination": "zero",
                        "average": 0.0,
                    },
                    "recipe": {**presets.RECIPE, **presets.RECIPE_REWARD, "smooth_bounds": True},
                },
                task_free=("recipe",),
                tasks={"fast": _DRIVING},
            ),
        },
    ),
)

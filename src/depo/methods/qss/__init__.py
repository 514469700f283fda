"""Q(s,s'): a deterministic planner that follows the value of states, and an inverse model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from depo.methods.off_policy import presets, settings
from depo.methods.registry import OFF_POLICY, Implementation, MethodSpec, deferred
from depo.methods.settings_tree import Heading, MethodSettings, Part, Rule, named


@dataclass(frozen=True)
class Proposals(Part):
    """The planner, which proposes one next state, and the cycle that holds it to real ones."""

    heading: ClassVar[Heading] = "planner"
    rate: float = named(3e-4, "planner_rate")
    """Adam's learning rate for the planner."""
    cycle: float = 1.0
    """Weight of ‖f(s, I(s, τ(s))) − τ(s)‖², per feature, in typical steps or deviations."""
    forward_rate: float = named(3e-4, "forward_rate", heading="skill")
    """Adam's learning rate for the forward model."""


@dataclass(frozen=True)
class OwnReward(Part):
    """The environment's reward, in units of its own."""

    heading: ClassVar[Heading] = "critic"
    reward_scale: float = 1.0
    """Factor on the reward: it sets how much Q counts beside the cycle."""
    reward_centre: float = 0.0
    """Rate, for each update, at which the mean reward is followed; it is subtracted from every
    reward, those after an end too, so that values stay near zero and who is best stays best."""
    reward_size: float = 0.0
    """Rate, for each update, at which the mean square of the reward is followed; every reward is
    divided by its root before scaling; 0: it is not."""


@dataclass(frozen=True)
class OffPolicyQSS(MethodSettings):
    """Q(s,s') on the environment's own reward: planner, inverse and forward model in a cycle."""

    collection: settings.Collection = settings.Collection(replay=1_000_000, termination="zero")
    exploration: settings.Exploration = settings.Exploration()
    noise: settings.SkillNoise = settings.SkillNoise()
    learning: settings.Learning = settings.Learning()
    saving: settings.Saving = settings.Saving()
    networks: settings.Networks = settings.Networks()
    demos: settings.Demos = settings.Demos()
    coordinates: settings.Coordinates = settings.Coordinates(step_units=True)
    pair_view: settings.PairView = settings.PairView()
    features: settings.Features = settings.Features()
    proposals: Proposals = Proposals()
    decoupled_gradient: settings.DecoupledGradient = settings.DecoupledGradient()
    skill: settings.Skill = settings.Skill()
    first_fit: settings.FirstFit = settings.FirstFit()
    critic: settings.Critic = settings.Critic()
    reward: OwnReward = OwnReward()
    rules: ClassVar[tuple[Rule, ...]] = (
        settings.FIRST_OF_REFITS,
        settings.ONLY_SKILL_SEES_PAIRS,
        settings.STEPS_ARE_DIFFERENCES,
    )

    def problems(self) -> Iterator[str]:
        """No discriminator to make an absorbing state of."""
        yield from settings.end_problem(self, "qss")


@dataclass(frozen=True)
class OffPolicyQSSGAIfO(MethodSettings):
    """Q(s,s') on a discriminator's reward: planner, inverse and forward model in a cycle."""

    collection: settings.Collection = settings.Collection()
    exploration: settings.Exploration = settings.Exploration()
    noise: settings.SkillNoise = settings.SkillNoise()
    learning: settings.Learning = settings.Learning()
    saving: settings.Saving = settings.Saving()
    networks: settings.Networks = settings.Networks()
    demos: settings.Demos = settings.Demos()
    coordinates: settings.Coordinates = settings.Coordinates(step_units=True)
    pair_view: settings.PairView = settings.PairView()
    features: settings.Features = settings.Features()
    proposals: Proposals = Proposals()
    decoupled_gradient: settings.DecoupledGradient = settings.DecoupledGradient()
    skill: settings.Skill = settings.Skill()
    first_fit: settings.FirstFit = settings.FirstFit()
    critic: settings.Critic = settings.Critic()
    discriminator: settings.Discriminator = settings.Discriminator()
    rules: ClassVar[tuple[Rule, ...]] = (settings.FIRST_OF_REFITS, *settings.ENDS)


_FAST: dict[str, Any] = {
    **presets.FAST,
    **presets.FAST_SKILL,
    "forward_rate": 1e-3,
    "value_unit": "deviation",
}
_FAST_OWN_REWARD = {"reward_scale": 0.2, "reward_centre": 1e-2, "reward_size": 1e-2}
"""Values of a reward that is always positive climb for as long as targets need to follow."""
_AUTHORS: dict[str, Any] = {
    **presets.AUTHORS_CRITIC,
    **presets.AUTHORS_COORDINATES,
    **presets.AUTHORS_PAIRS,
    "standardise": False,
    "step_units": False,
    "random_steps": 10_000,
    "replay": 1_000_000,
    "average": 0.0,
    "noise": 0.1,
}
"""Networks of 2 × 256, every rate 3e-4, minibatches of 256 and τ 0.005 are the defaults."""
_RECIPE: dict[str, Any] = {
    **presets.RECIPE,
    **presets.RECIPE_SKILL,
    "forward_rate": 1e-3,
    "value_unit": "deviation",
}

METHODS = (
    MethodSpec(
        name="qss",
        summary="Q(s,s') on the environment's own reward: planner and skill in a cycle.",
        colour="#5e35b1",
        needs_demonstrations=False,
        uses_reward=True,
        has_skill=True,
        exports=("planner", "skill"),
        implementations={
            OFF_POLICY: Implementation(
                settings=OffPolicyQSS,
                build=deferred("depo.methods.qss.off_policy:QSSMethod"),
                default_steps=presets.DEFAULT_STEPS,
                presets={"fast": {**_FAST, **_FAST_OWN_REWARD}, "paper": _AUTHORS},
            ),
        },
    ),
    MethodSpec(
        name="qss-gaifo",
        summary="Q(s,s') on a discriminator's reward: planner and skill in a cycle.",
        colour="#9575cd",
        has_skill=True,
        exports=("planner", "skill"),
        implementations={
            OFF_POLICY: Implementation(
                settings=OffPolicyQSSGAIfO,
                build=deferred("depo.methods.qss.off_policy:QSSGAIfOMethod"),
                default_steps=presets.DEFAULT_STEPS,
                presets={
                    "fast": {**_FAST, **presets.FAST_REWARD},
                    "paper": {**_AUTHORS, **presets.AUTHORS_REWARD},
                    "recipe": {**_RECIPE, **presets.RECIPE_REWARD},
                },
                task_free=("recipe",),
            ),
        },
    ),
)

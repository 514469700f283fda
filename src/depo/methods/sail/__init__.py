"""State alignment: a predictor and an inverse model as the policy's prior, Wasserstein reward."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from depo.methods.off_policy import presets, settings
from depo.methods.registry import OFF_POLICY, Implementation, MethodSpec, deferred
from depo.methods.settings_tree import Heading, MethodSettings, Part, Rule, named


@dataclass(frozen=True)
class Prior(Part):
    """The predictor, and how it holds the policy."""

    heading: ClassVar[Heading] = "planner"
    rate: float = named(3e-4, "planner_rate")
    """Adam's learning rate for the predictor."""
    latent: int = named(128, "latent_size")
    """Numbers of the code by which the predictor knows a state."""
    latent_weight: float = 0.005
    """β: weight of the code's divergence from N(0,1); the more, the less it tells of a state."""
    weight: float = named(1.0, "prior_weight", heading="policy")
    """Weight of ‖a − I(s,ŝ')‖² in the policy's loss, ŝ' the predicted state."""


@dataclass(frozen=True)
class OffPolicySAIL(MethodSettings):
    """State alignment: reward from states' Wasserstein distance, prior from planner and skill."""

    collection: settings.Collection = settings.Collection()
    exploration: settings.Exploration = settings.Exploration()
    learning: settings.Learning = settings.Learning()
    saving: settings.Saving = settings.Saving()
    networks: settings.Networks = settings.Networks()
    demos: settings.Demos = settings.Demos()
    coordinates: settings.Coordinates = settings.Coordinates()
    pair_view: settings.PairView = settings.PairView()
    features: settings.Features = settings.Features()
    prior: Prior = Prior()
    skill: settings.Skill = settings.Skill()
    first_fit: settings.FirstFit = settings.FirstFit()
    actor: settings.Actor = settings.Actor()
    critic: settings.Critic = settings.Critic()
    discriminator: settings.Discriminator = settings.Discriminator()
    rules: ClassVar[tuple[Rule, ...]] = (
        settings.FIRST_OF_REFITS,
        settings.ONLY_SKILL_SEES_PAIRS,
        settings.STEPS_ARE_DIFFERENCES,
        *settings.ENDS,
    )
    absent: ClassVar = {"noise": "sail explores by its policy; its skill is its prior"}


_RECIPE: dict[str, Any] = {**presets.RECIPE, **presets.RECIPE_REWARD, **presets.RECIPE_SKILL}

METHODS = (
    MethodSpec(
        name="sail",
        summary="State alignment: Wasserstein reward of states, prior from planner and skill.",
        colour="#ad1457",
        has_skill=True,
        exports=("planner",),
        implementations={
            OFF_POLICY: Implementation(
                settings=OffPolicySAIL,
                build=deferred("depo.methods.sail.off_policy:SAILMethod"),
                default_steps=presets.DEFAULT_STEPS,
                presets={
                    "fast": {
                        **presets.FAST,
                        **presets.FAST_SKILL,
                        "reward_centre": 1e-3,
                        "reward_spread": 1e-3,
                        "termination": "relative",
                        "step_units": True,
                    },
                    "paper": {
                        **presets.AUTHORS_PAIRS,
                        **presets.AUTHORS_CRITIC,
                        "batch_steps": 2_048,
                        "minibatch": 128,
                        "clip_states": 5.0,
                        "discriminator_hidden": 256,
                        "gradient_penalty": 1.0,
                        "reward_scale": 0.1,
                        "termination": "zero",
                        "average": 0.0,
                    },
                    "recipe": _RECIPE,
                },
                task_free=("recipe",),
            ),
        },
    ),
)

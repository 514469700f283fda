"""Supervised DePO: the planner learns from the demonstrations alone, the skill from experience."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from depo.methods.off_policy import presets as off_presets
from depo.methods.off_policy import settings as off
from depo.methods.on_policy import presets as on_presets
from depo.methods.on_policy import settings as on
from depo.methods.registry import OFF_POLICY, ON_POLICY, Implementation, MethodSpec, deferred
from depo.methods.settings_tree import MethodSettings, Rule, named


@dataclass(frozen=True)
class OnPolicySupervised(MethodSettings):
    """DePO (supervised): planner from the demonstrations alone, skill from experience."""

    collection: on.Collection = on.Collection()
    exploration: on.Exploration = on.Exploration()
    learning: on.Learning = on.Learning()
    saving: on.Saving = on.Saving()
    skill: on.Skill = on.Skill()
    planner_rate: float = named(3e-3, "planner_rate", heading="planner")
    """Adam's learning rate for the planner."""
    planner_steps: int = named(20, "planner_steps", heading="planner")
    """Planner steps in one iteration."""
    demo_batch: int = named(64, "demo_batch", heading="planner")
    """Expert transitions in one planner step."""
    rules: ClassVar[tuple[Rule, ...]] = (on.UNDISCOUNTED,)


@dataclass(frozen=True)
class OffPolicySupervised(MethodSettings):
    """DePO (supervised): planner from the demonstrations alone, skill from experience."""

    collection: off.Collection = off.Collection()
    exploration: off.Exploration = off.Exploration()
    noise: off.SkillNoise = off.SkillNoise()
    learning: off.Learning = off.Learning()
    saving: off.Saving = off.Saving()
    networks: off.Networks = off.Networks()
    demos: off.Demos = off.Demos()
    coordinates: off.Coordinates = off.Coordinates()
    pair_view: off.PairView = off.PairView()
    features: off.Features = off.Features()
    planner: off.Planner = off.Planner()
    sampling: off.PlanSampling = off.PlanSampling()
    supervision_loss: off.PlannerFit = named("likelihood", "supervision_loss", heading="planner")
    """Maximum likelihood, or squared error of the predicted mean or of a sample."""
    skill: off.Skill = off.Skill()
    first_fit: off.FirstFit = off.FirstFit()
    rules: ClassVar[tuple[Rule, ...]] = (off.FIRST_OF_REFITS, off.ONLY_SKILL_SEES_PAIRS)
    absent: ClassVar = {"gamma": off.NO_RETURN}


METHODS = (
    MethodSpec(
        name="depo-supervised",
        summary="DePO (supervised): planner from the demonstrations alone, skill from experience.",
        colour="#ef8a17",
        has_skill=True,
        shares_planner=True,
        exports=("planner", "skill"),
        implementations={
            ON_POLICY: Implementation(
                settings=OnPolicySupervised,
                build=deferred("depo.methods.supervised.on_policy:build"),
                default_steps=on_presets.DEFAULT_STEPS,
                presets={
                    "fast": {"skill_rate": 1e-3},
                    "paper": {**on_presets.AUTHORS_SKILL, "skill_rate": 3e-3, "planner_steps": 1},
                },
            ),
            OFF_POLICY: Implementation(
                settings=OffPolicySupervised,
                build=deferred("depo.methods.supervised.off_policy:build"),
                default_steps=off_presets.DEFAULT_STEPS,
                presets={
                    "fast": {**off_presets.FAST, **off_presets.FAST_SKILL},
                    "paper": {
                        **off_presets.AUTHORS_GATHERING,
                        **off_presets.AUTHORS_COORDINATES,
                        **off_presets.AUTHORS_PAIRS,
                        **off_presets.AUTHORS_SKILL,
                        **off_presets.AUTHORS_NOISE,
                        **off_presets.AUTHORS_SPREAD,
                        "planner_rate": 1e-3,
                        "supervision_loss": "sampled",
                        "first_fit_passes": 1_000,
                    },
                    "recipe": {
                        **off_presets.RECIPE,
                        **off_presets.RECIPE_SKILL,
                        "supervision_loss": "relative",
                        "smooth_bounds": True,
                    },
                },
                task_free=("recipe",),
                tasks={
                    "fast": {"Hopper-v5": {"noise": 1.0}},
                    "paper": {"InvertedPendulum-v5": {"updates_per_step": 1.0}},
                },
            ),
        },
    ),
)

"""Decoupled policy optimisation and its two halves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from depo.methods.off_policy import presets as off_presets
from depo.methods.off_policy import settings as off
from depo.methods.on_policy import presets as on_presets
from depo.methods.on_policy import settings as on
from depo.methods.registry import OFF_POLICY, ON_POLICY, Implementation, MethodSpec, deferred
from depo.methods.settings_tree import MethodSettings, Rule, named
from depo.methods.tasks import SHARED


@dataclass(frozen=True)
class OnPolicyAgnostic(MethodSettings):
    """DePG alone: learns to act, plans arbitrary states."""

    collection: on.Collection = on.Collection()
    exploration: on.Exploration = on.Exploration()
    learning: on.Learning = on.Learning()
    saving: on.Saving = on.Saving()
    critic: on.Critic = on.Critic()
    discriminator: on.Discriminator = on.Discriminator()
    skill: on.Skill = on.Skill()
    planner: on.Planner = on.Planner()
    gradient: on.GradientEstimator = named("exact", "gradient", heading="planner")
    """Estimator of the decoupled policy gradient."""
    planner_clip: float = named(0.0, "planner_clip", heading="planner")
    """PPO's clipping ε, of the policy that planner and skill make; 0: none. It bounds how far the
    passes over one batch move it."""
    rules: ClassVar[tuple[Rule, ...]] = (on.BOUNDED,)
    absent: ClassVar = {"demo_batch": "agnostic DePG learns from no demonstrated plan"}


@dataclass(frozen=True)
class OnPolicyCalibrated(MethodSettings):
    """CDePG + λ_h·L_h, what the authors ran on the grid."""

    collection: on.Collection = on.Collection()
    exploration: on.Exploration = on.Exploration()
    learning: on.Learning = on.Learning()
    saving: on.Saving = on.Saving()
    critic: on.Critic = on.Critic()
    discriminator: on.Discriminator = on.Discriminator()
    skill: on.Skill = on.Skill()
    planner: on.Planner = on.Planner()
    calibration: on.Calibration = on.Calibration()
    supervision: on.Supervision = on.Supervision()


@dataclass(frozen=True)
class OnPolicyDePO(MethodSettings):
    """Decoupled policy optimisation: DePG + c·CDePG + λ_h·L_h."""

    collection: on.Collection = on.Collection()
    exploration: on.Exploration = on.Exploration()
    learning: on.Learning = on.Learning()
    saving: on.Saving = on.Saving()
    critic: on.Critic = on.Critic()
    discriminator: on.Discriminator = on.Discriminator()
    skill: on.Skill = on.Skill()
    planner: on.Planner = on.Planner()
    gradient: on.GradientEstimator = named("exact", "gradient", heading="planner")
    """Estimator of the decoupled policy gradient."""
    planner_clip: float = named(0.0, "planner_clip", heading="planner")
    """PPO's clipping ε, of the policy that planner and skill make; 0: none. It bounds how far the
    passes over one batch move it."""
    rules: ClassVar[tuple[Rule, ...]] = (on.BOUNDED,)
    calibration: on.Calibration = on.Calibration()
    supervision: on.Supervision = on.Supervision()


@dataclass(frozen=True)
class OffPolicyAgnostic(MethodSettings):
    """DePG alone: learns to act, plans arbitrary states."""

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
    decoupled_gradient: off.DecoupledGradient = off.DecoupledGradient()
    skill: off.Skill = off.Skill()
    first_fit: off.FirstFit = off.FirstFit()
    skill_output: off.SkillOutput = off.SkillOutput()
    critic: off.Critic = off.Critic()
    demo_transitions: off.DemoTransitions = off.DemoTransitions()
    discriminator: off.Discriminator = off.Discriminator()
    rules: ClassVar[tuple[Rule, ...]] = (*off.ENDS, off.FIRST_OF_REFITS)


@dataclass(frozen=True)
class OffPolicyDePO(MethodSettings):
    """Decoupled policy optimisation: DePG + c·CDePG + λ_h·L_h."""

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
    decoupled_gradient: off.DecoupledGradient = off.DecoupledGradient()
    calibration: off.Calibration = off.Calibration()
    supervision: off.Supervision = off.Supervision()
    skill: off.Skill = off.Skill()
    first_fit: off.FirstFit = off.FirstFit()
    skill_output: off.SkillOutput = off.SkillOutput()
    critic: off.Critic = off.Critic()
    demo_transitions: off.DemoTransitions = off.DemoTransitions()
    discriminator: off.Discriminator = off.Discriminator()
    rules: ClassVar[tuple[Rule, ...]] = (*off.ENDS, off.FIRST_OF_REFITS)


_FAST_DEMOS = {"demo_share": 0.5}
"""What an expert's states are worth need not be found out by getting there first. Not for agnostic
DePG: with it five seeds of five on Hopper were lost by 10,000 steps, and still at 20,000. Nor in
the recipe: critics then believe the skill's actions where it does not get there at all."""
_TUNED = {**off_presets.FAST, **off_presets.FAST_REWARD, **off_presets.FAST_SKILL}
_ANCHOR_RECIPE: dict[str, Any] = {
    "value_unit": "gain",
    "calibration": 0.3,
    "calibration_loss": "relative",
    "calibration_weight": "within-state",
    "supervision": 0.3,
    "supervision_loss": "relative",
}
"""Q in units of what actions change of it, a plan's error in those of the steps it is held to."""
_RECIPE = {
    **off_presets.RECIPE,
    **off_presets.RECIPE_REWARD,
    **off_presets.RECIPE_SKILL,
    **_ANCHOR_RECIPE,
    "smooth_bounds": True,
}
"""One recipe for all tasks: what differs between them is measured while learning."""
_FINITE_RECIPE: dict[str, Any] = {
    **on_presets.FAST_PLANNER,
    **on_presets.RECIPE_SKILL,
    "batch_steps": 64,
    "minibatch": 16,
    "critic_rate": 1e-3,
    "planner_rate": 1e-3,
    "planner_clip": 0.2,
    "calibration": 1.0,
    "calibration_weight": "positive",
    "supervision_noise": 5.0,
}
"""On finite states (lab notes 43 and 44)."""
_STRAIGHT_THROUGH = {"gradient": "straight-through"}
AUTHORS: dict[str, Any] = {
    **off_presets.AUTHORS_GATHERING,
    **off_presets.AUTHORS_NETWORKS,
    **off_presets.AUTHORS_CRITIC,
    **off_presets.AUTHORS_COORDINATES,
    **off_presets.AUTHORS_PAIRS,
    **off_presets.AUTHORS_REWARD,
    **off_presets.AUTHORS_SKILL,
    **off_presets.AUTHORS_NOISE,
    **off_presets.AUTHORS_SPREAD,
    **off_presets.AUTHORS_PENALTY,
}
"""What the authors ran on vectors, whatever anchors the planner."""
_OWN_TASKS: dict[str, dict[str, Any]] = {
    "depo/Driving-v0": {"supervision": 0.3, "calibration": 0.3},
    "HalfCheetah-v5": {"supervision": 0.03, "calibration": 0.03},
}
"""What version 0.1 found for DePO alone."""
_V01 = {**_TUNED, **_FAST_DEMOS}
_BEFORE_THE_RECIPE: dict[str, Any] = {
    "termination": "absorbing",
    "reward_centre": 0.0,
    "reward_spread": 0.0,
    "pair_input": "difference",
    "value_unit": "reward",
    "calibration": 0.1,
    "calibration_loss": "likelihood",
    "calibration_weight": "min-max",
    "supervision": 0.1,
    "supervision_loss": "likelihood",
    "hidden": 256,
    "skill_hidden": 256,
    "discriminator_hidden": 128,
    "smooth_bounds": False,
    "quiet": 0.0,
    "demo_episodes": 4,
    "step_units": False,
    "wide_units": False,
    **_V01,
}


_DRIVING = "depo/Driving-v0"
"""The one exception from the recipe, by which fewer arrive (lab note 40)."""
TASKS: dict[str, dict[str, dict[str, Any]]] = {
    "fast": {_DRIVING: {**_BEFORE_THE_RECIPE, **SHARED[_DRIVING], **_OWN_TASKS[_DRIVING]}},
    "v0.1": _OWN_TASKS,
    "paper": {
        "depo/Driving-v0": {"supervision": 1.0, "calibration": 1.0},
        "InvertedPendulum-v5": {
            "supervision": 1.0,
            "calibration": 1.0,
            "supervision_loss": "squared",
            "random_steps": 1_000,
            "first_fit_passes": 50,
        },
        "Hopper-v5": {
            "supervision": 0.1,
            "calibration": 0.1,
            "reward_shift": 10.0,
            "first_fit_passes": 1_000,
        },
        "Walker2d-v5": {"supervision": 0.1, "calibration": 0.1, "first_fit_passes": 1_000},
        "HalfCheetah-v5": {"supervision": 0.01, "calibration": 0.01, "first_fit_passes": 100},
        "Humanoid-v5": {"supervision": 0.1, "calibration": 0.1, "first_fit_passes": 500},
        "Ant-v5": {
            "supervision": 0.1,
            "calibration": 0.1,
            "random_steps": 10_000,
            "first_fit_passes": 1_000,
            "refit_every": 1_000,
            "reward_scale": 8.0,
            "epsilon": 0.99,
            "epsilon_decay": 0.0,
        },
    },
}
"""Preset, task: what is DePO's own; a transfer that fine-tunes takes some of it too."""
_AGNOSTIC_TASKS: dict[str, dict[str, dict[str, Any]]] = {
    "fast": {"Hopper-v5": {"output_penalty": 1e-3}},
    "paper": {
        "InvertedPendulum-v5": {"random_steps": 1_000, "first_fit_passes": 50},
        "Hopper-v5": {"reward_shift": 10.0, "first_fit_passes": 1_000},
        "Walker2d-v5": {"first_fit_passes": 1_000},
        "HalfCheetah-v5": {"first_fit_passes": 100},
        "Humanoid-v5": {"first_fit_passes": 500},
    },
}

METHODS = (
    MethodSpec(
        name="depo",
        summary="Decoupled policy optimisation: DePG + c·CDePG + λ_h·L_h.",
        colour="#1b4f8a",
        has_skill=True,
        shares_planner=True,
        adds_losses=True,
        exports=("planner", "skill"),
        implementations={
            ON_POLICY: Implementation(
                settings=OnPolicyDePO,
                build=deferred("depo.methods.depo.on_policy:DePOMethod"),
                default_steps=on_presets.DEFAULT_STEPS,
                presets={
                    "fast": _FINITE_RECIPE,
                    "paper": {**on_presets.AUTHORS_SKILL, **_STRAIGHT_THROUGH},
                    "recipe": _FINITE_RECIPE,
                    "v0.1": {"calibration": 0.3, **on_presets.FAST_PLANNER},
                },
            ),
            OFF_POLICY: Implementation(
                settings=OffPolicyDePO,
                build=deferred("depo.methods.depo.off_policy:DePOMethod"),
                default_steps=off_presets.DEFAULT_STEPS,
                presets={
                    "fast": _RECIPE,
                    "paper": {**AUTHORS, "relabel": True},
                    "recipe": _RECIPE,
                    "v0.1": _V01,
                },
                tasks=TASKS,
                task_free=("fast", "recipe"),
            ),
        },
    ),
    MethodSpec(
        name="depo-agnostic",
        summary="DePG alone: learns to act, plans arbitrary states.",
        colour="#c62828",
        has_skill=True,
        shares_planner=True,
        adds_losses=True,
        exports=("planner", "skill"),
        implementations={
            ON_POLICY: Implementation(
                settings=OnPolicyAgnostic,
                build=deferred("depo.methods.depo.on_policy:AgnosticMethod"),
                default_steps=on_presets.DEFAULT_STEPS,
                presets={
                    "fast": on_presets.FAST_PLANNER,
                    "paper": {**on_presets.AUTHORS_SKILL, **_STRAIGHT_THROUGH},
                },
            ),
            OFF_POLICY: Implementation(
                settings=OffPolicyAgnostic,
                build=deferred("depo.methods.depo.off_policy:AgnosticMethod"),
                default_steps=off_presets.DEFAULT_STEPS,
                presets={
                    "fast": _TUNED,
                    "paper": AUTHORS,
                },
                tasks=_AGNOSTIC_TASKS,
            ),
        },
    ),
    MethodSpec(
        name="depo-calibrated",
        summary="CDePG + λ_h·L_h, what the authors ran on the grid.",
        colour="#5b9bd5",
        has_skill=True,
        exports=("planner", "skill"),
        implementations={
            ON_POLICY: Implementation(
                settings=OnPolicyCalibrated,
                build=deferred("depo.methods.depo.on_policy:CalibratedMethod"),
                default_steps=on_presets.DEFAULT_STEPS,
                presets={"fast": on_presets.FAST_PLANNER, "paper": on_presets.AUTHORS_SKILL},
            ),
        },
    ),
)

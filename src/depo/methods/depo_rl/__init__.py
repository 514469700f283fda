"""The decoupled policy learned from the environment's own reward."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from depo.methods.off_policy import presets, settings
from depo.methods.registry import OFF_POLICY, Implementation, MethodSpec, deferred
from depo.methods.settings_tree import MethodSettings, Rule, named


@dataclass(frozen=True)
class OffPolicyDePORL(MethodSettings):
    """The decoupled policy learned from the environment's own reward: DePG + c·CDePG."""

    collection: settings.Collection = settings.Collection(replay=1_000_000, termination="zero")
    exploration: settings.Exploration = settings.Exploration()
    noise: settings.SkillNoise = settings.SkillNoise()
    learning: settings.Learning = settings.Learning()
    saving: settings.Saving = settings.Saving()
    networks: settings.Networks = settings.Networks()
    demos: settings.Demos = settings.Demos()
    coordinates: settings.Coordinates = settings.Coordinates()
    pair_view: settings.PairView = settings.PairView()
    features: settings.Features = settings.Features()
    planner: settings.Planner = settings.Planner()
    sampling: settings.PlanSampling = settings.PlanSampling()
    decoupled_gradient: settings.DecoupledGradient = settings.DecoupledGradient()
    calibration: settings.Calibration = settings.Calibration()
    skill: settings.Skill = settings.Skill()
    first_fit: settings.FirstFit = settings.FirstFit()
    skill_output: settings.SkillOutput = settings.SkillOutput()
    critic: settings.Critic = settings.Critic()
    reward_scale: float = named(0.1, "reward_scale", heading="critic")
    """Factor on the reward: it sets how much Q counts beside the calibrated gradient."""
    rules: ClassVar[tuple[Rule, ...]] = (settings.FIRST_OF_REFITS, settings.ONLY_SKILL_SEES_PAIRS)

    def problems(self) -> Iterator[str]:
        """No discriminator to make an absorbing state of."""
        yield from settings.end_problem(self, "depo-rl")


METHODS = (
    MethodSpec(
        name="depo-rl",
        summary="The decoupled policy learned from the environment's own reward: DePG + c·CDePG.",
        colour="#00838f",
        needs_demonstrations=False,
        uses_reward=True,
        has_skill=True,
        exports=("planner", "skill"),
        implementations={
            OFF_POLICY: Implementation(
                settings=OffPolicyDePORL,
                build=deferred("depo.methods.depo_rl.off_policy:DePORLMethod"),
                default_steps=presets.DEFAULT_STEPS,
                presets={
                    "fast": {**presets.FAST, **presets.FAST_SKILL},
                    "paper": {
                        **presets.AUTHORS_GATHERING,
                        **presets.AUTHORS_NETWORKS,
                        **presets.AUTHORS_CRITIC,
                        **presets.AUTHORS_COORDINATES,
                        **presets.AUTHORS_PAIRS,
                        **presets.AUTHORS_SKILL,
                        **presets.AUTHORS_NOISE,
                        **presets.AUTHORS_SPREAD,
                        **presets.AUTHORS_PENALTY,
                        "termination": "zero",
                        "replay": 1_000_000,
                        "reward_scale": 2.0,
                        "relabel": True,
                        "first_fit_passes": 1_000,
                    },
                },
                tasks={
                    "fast": {"Hopper-v5": {"reward_scale": 0.5}},
                    "paper": {
                        "Walker2d-v5": {"calibration": 0.01},
                        "HalfCheetah-v5": {"first_fit_passes": 100},
                        "Humanoid-v5": {
                            "calibration": 0.01,
                            "first_fit_passes": 500,
                            "termination": "ignored",
                        },
                    },
                },
            ),
        },
    ),
)

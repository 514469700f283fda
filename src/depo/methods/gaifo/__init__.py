"""Generative adversarial imitation from observation, with a plain policy or a decoupled one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from depo.methods.off_policy import presets as off_presets
from depo.methods.off_policy import settings as off
from depo.methods.on_policy import presets as on_presets
from depo.methods.on_policy import settings as on
from depo.methods.registry import OFF_POLICY, ON_POLICY, Implementation, MethodSpec, deferred
from depo.methods.settings_tree import MethodSettings, Rule, named


@dataclass(frozen=True)
class OnPolicyGAIfO(MethodSettings):
    """Generative adversarial imitation from observation: a plain policy, reward from D(s,s')."""

    collection: on.Collection = on.Collection()
    exploration: on.Exploration = on.Exploration()
    learning: on.Learning = on.Learning()
    saving: on.Saving = on.Saving()
    actor: on.Actor = on.Actor()
    critic: on.Critic = on.Critic()
    discriminator: on.Discriminator = on.Discriminator()


@dataclass(frozen=True)
class OffPolicyGAIfO(MethodSettings):
    """Generative adversarial imitation from observation: a plain policy, reward from D(s,s')."""

    collection: off.Collection = off.Collection()
    exploration: off.Exploration = off.Exploration()
    learning: off.Learning = off.Learning()
    saving: off.Saving = off.Saving()
    networks: off.Networks = off.Networks()
    demos: off.Demos = off.Demos()
    coordinates: off.Coordinates = off.Coordinates()
    pair_view: off.PairView = off.PairView()
    actor: off.Actor = off.Actor()
    critic: off.Critic = off.Critic()
    discriminator: off.Discriminator = off.Discriminator()
    rules: ClassVar[tuple[Rule, ...]] = off.ENDS


@dataclass(frozen=True)
class OffPolicyGAIfODP(MethodSettings):
    """GAIfO with a decoupled policy, planner and skill trained together by the policy gradient."""

    collection: off.Collection = off.Collection()
    exploration: off.Exploration = off.Exploration()
    learning: off.Learning = off.Learning()
    saving: off.Saving = off.Saving()
    networks: off.Networks = off.Networks()
    demos: off.Demos = off.Demos()
    coordinates: off.Coordinates = off.Coordinates()
    pair_view: off.PairView = off.PairView()
    actor: off.Actor = off.Actor()
    critic: off.Critic = off.Critic()
    discriminator: off.Discriminator = off.Discriminator()
    plan_difference: bool = named(True, "plan_difference", heading="planner")
    """Whether the planner's output is added to the state, or is the next state itself."""
    skill_depth: int = named(2, "skill_depth", heading="skill")
    """Hidden layers of the skill."""
    rules: ClassVar[tuple[Rule, ...]] = off.ENDS


_FAST = {**off_presets.FAST, **off_presets.FAST_REWARD}
_AUTHORS: dict[str, Any] = {
    **off_presets.AUTHORS_GATHERING,
    **off_presets.AUTHORS_NETWORKS,
    **off_presets.AUTHORS_CRITIC,
    **off_presets.AUTHORS_COORDINATES,
    **off_presets.AUTHORS_PAIRS,
    **off_presets.AUTHORS_REWARD,
    **off_presets.AUTHORS_ACTOR,
}
_RECIPE = {**off_presets.RECIPE, **off_presets.RECIPE_REWARD}
_FIXED = off_presets.FIXED_TEMPERATURE

METHODS = (
    MethodSpec(
        name="gaifo",
        summary=(
            "Generative adversarial imitation from observation: a plain policy, reward from "
            "D(s,s')."
        ),
        colour="#2e7d32",
        implementations={
            ON_POLICY: Implementation(
                settings=OnPolicyGAIfO,
                build=deferred("depo.methods.gaifo.on_policy:GAIfOMethod"),
                default_steps=on_presets.DEFAULT_STEPS,
                presets={
                    "fast": {
                        "batch_steps": 32,
                        "minibatch": 32,
                        "critic_rate": 3e-3,
                        "actor_rate": 1e-3,
                        "entropy": 0.01,
                    },
                    "paper": {"batch_steps": 64},
                    "v0.1": {"batch_steps": 64, "critic_rate": 3e-3, "actor_rate": 1e-3},
                },
            ),
            OFF_POLICY: Implementation(
                settings=OffPolicyGAIfO,
                build=deferred("depo.methods.gaifo.off_policy:GAIfOMethod"),
                default_steps=off_presets.DEFAULT_STEPS,
                presets={"fast": _FAST, "paper": _AUTHORS, "recipe": _RECIPE},
                task_free=("recipe",),
                tasks={
                    "fast": {
                        "depo/Driving-v0": {"updates_per_step": 0.4},
                        "HalfCheetah-v5": off_presets.STEADY,
                    },
                    "paper": {
                        "depo/Driving-v0": {
                            "gradient_penalty": 4.0,
                            "temperature": 1.0,
                            "tune_temperature": False,
                        },
                        "Walker2d-v5": _FIXED,
                        "HalfCheetah-v5": _FIXED,
                        "Humanoid-v5": _FIXED,
                    },
                },
            ),
        },
    ),
    MethodSpec(
        name="gaifo-dp",
        summary=(
            "GAIfO with a decoupled policy, planner and skill trained together by the policy "
            "gradient."
        ),
        colour="#66a61e",
        exports=("planner", "skill"),
        implementations={
            OFF_POLICY: Implementation(
                settings=OffPolicyGAIfODP,
                build=deferred("depo.methods.gaifo.off_policy:GAIfODPMethod"),
                default_steps=off_presets.DEFAULT_STEPS,
                presets={
                    "fast": _FAST,
                    "paper": {**_AUTHORS, "skill_depth": 4},
                    "recipe": {**_RECIPE, "step_units": True},
                },
                task_free=("recipe",),
                tasks={
                    "paper": {
                        "Walker2d-v5": {"plan_difference": False},
                        "HalfCheetah-v5": {**_FIXED, "plan_difference": False},
                        "Humanoid-v5": {"plan_difference": False},
                    },
                },
            ),
        },
    ),
)

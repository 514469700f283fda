"""Behavioural cloning from observation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from depo.methods.off_policy import presets as off_presets
from depo.methods.off_policy import settings as off
from depo.methods.on_policy import presets as on_presets
from depo.methods.on_policy import settings as on
from depo.methods.registry import OFF_POLICY, ON_POLICY, Implementation, MethodSpec, deferred
from depo.methods.settings_tree import MethodSettings, Rule, named


@dataclass(frozen=True)
class OnPolicyBCO(MethodSettings):
    """Behavioural cloning from observation: the skill labels the demonstrations, π clones them."""

    collection: on.Collection = on.Collection()
    exploration: on.Exploration = on.Exploration()
    learning: on.Learning = on.Learning()
    saving: on.Saving = on.Saving()
    skill: on.Skill = on.Skill()
    actor_rate: float = named(3e-3, "actor_rate", heading="policy")
    """Adam's learning rate for the policy."""
    actor_steps: int = named(20, "actor_steps", heading="policy")
    """Cloning steps in one iteration."""
    rules: ClassVar[tuple[Rule, ...]] = (on.UNDISCOUNTED,)


@dataclass(frozen=True)
class OffPolicyBCO(MethodSettings):
    """Behavioural cloning from observation: the skill labels the demonstrations, π clones them."""

    collection: off.Collection = off.Collection()
    exploration: off.Exploration = off.Exploration()
    learning: off.Learning = off.Learning()
    saving: off.Saving = off.Saving()
    networks: off.Networks = off.Networks()
    demos: off.Demos = off.Demos()
    coordinates: off.Coordinates = off.Coordinates()
    pair_view: off.PairView = off.PairView()
    features: off.Features = off.Features()
    skill: off.Skill = off.Skill()
    first_fit: off.FirstFit = off.FirstFit()
    actor_rate: float = named(3e-4, "actor_rate", heading="policy")
    """Adam's learning rate for the policy."""
    clone_samples: bool = named(False, "clone_samples", heading="policy")
    """Compare random actions, of policy and skill, rather than means; either learns its own noise
    (the authors' way)."""
    rules: ClassVar[tuple[Rule, ...]] = (off.FIRST_OF_REFITS, off.ONLY_SKILL_SEES_PAIRS)
    absent: ClassVar = {
        "gamma": off.NO_RETURN,
        "noise": "bco explores by its policy; its skill only labels",
    }

    def problems(self) -> Iterator[str]:
        """Refits teach no noise."""
        if self.clone_samples and self.skill.schedule == "refit":
            yield (
                "clone_samples needs a skill that learns its noise, which refits do not teach: "
                "leave out one of --clone-samples and --skill-schedule refit"
            )


_ONE_STEP_SKILL = {"skill_rate": 3e-3, "skill_steps": 1, "skill_rounds": 1}
_AUTHORS_OTHERS = {"actor_rate": 1e-3, "adam_beta": 0.0}

METHODS = (
    MethodSpec(
        name="bco",
        summary=(
            "Behavioural cloning from observation: the skill labels the demonstrations, π clones "
            "them."
        ),
        colour="#8e44ad",
        has_skill=True,
        implementations={
            ON_POLICY: Implementation(
                settings=OnPolicyBCO,
                build=deferred("depo.methods.bco.on_policy:build"),
                default_steps=on_presets.DEFAULT_STEPS,
                presets={
                    "fast": {"actor_rate": 1e-3, "epsilon": 0.3},
                    "paper": {**_ONE_STEP_SKILL, "actor_steps": 1},
                },
            ),
            OFF_POLICY: Implementation(
                settings=OffPolicyBCO,
                build=deferred("depo.methods.bco.off_policy:build"),
                default_steps=off_presets.DEFAULT_STEPS,
                presets={
                    "fast": {**off_presets.FAST, **off_presets.FAST_SKILL},
                    "paper": {
                        **off_presets.AUTHORS_GATHERING,
                        **off_presets.AUTHORS_COORDINATES,
                        **off_presets.AUTHORS_PAIRS,
                        **off_presets.AUTHORS_SKILL,
                        "skill_schedule": "every-update",
                        "clone_samples": True,
                    },
                    "recipe": {**off_presets.RECIPE, **off_presets.RECIPE_SKILL},
                },
                task_free=("recipe",),
                tasks={
                    "paper": {
                        "InvertedPendulum-v5": {"actor_rate": 4e-4, "updates_per_step": 1.0},
                        "Walker2d-v5": _AUTHORS_OTHERS,
                        "HalfCheetah-v5": _AUTHORS_OTHERS,
                        "Humanoid-v5": _AUTHORS_OTHERS,
                    },
                },
            ),
        },
    ),
)

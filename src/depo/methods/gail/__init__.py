"""Generative adversarial imitation learning, with actions (Ho and Ermon, 2016)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from depo.methods.off_policy import presets, settings
from depo.methods.registry import OFF_POLICY, Implementation, MethodSpec, deferred
from depo.methods.settings_tree import MethodSettings, Rule


@dataclass(frozen=True)
class OffPolicyGAIL(MethodSettings):
    """Generative adversarial imitation learning: a plain policy, reward from D(s,a)."""

    collection: settings.Collection = settings.Collection()
    exploration: settings.Exploration = settings.Exploration()
    learning: settings.Learning = settings.Learning()
    saving: settings.Saving = settings.Saving()
    networks: settings.Networks = settings.Networks()
    demos: settings.Demos = settings.Demos()
    coordinates: settings.Coordinates = settings.Coordinates()
    actor: settings.Actor = settings.Actor()
    critic: settings.Critic = settings.Critic()
    discriminator: settings.Discriminator = settings.Discriminator()
    rules: ClassVar[tuple[Rule, ...]] = settings.ENDS


_AUTHORS: dict[str, Any] = {
    "hidden": 100,
    "discriminator_hidden": 100,
    "termination": "zero",
    "average": 0.0,
    "clip_states": 0.0,
    "critic_norm": False,
    "gamma": 0.995,
    "reward": "-log(1-d)",
    "reward_scale": 1.0,
    "gradient_penalty": 0.0,
    **presets.FIXED_TEMPERATURE,
}
"""Networks, discount, reward and no entropy; TRPO's own settings have no place here."""

METHODS = (
    MethodSpec(
        name="gail",
        summary="Generative adversarial imitation learning: a plain policy, reward from D(s,a).",
        colour="#17becf",
        needs_actions=True,
        implementations={
            OFF_POLICY: Implementation(
                settings=OffPolicyGAIL,
                build=deferred("depo.methods.gail.off_policy:GAILMethod"),
                default_steps=presets.DEFAULT_STEPS,
                presets={
                    "fast": {**presets.FAST, **presets.FAST_REWARD},
                    "paper": _AUTHORS,
                    "recipe": {**presets.RECIPE, **presets.RECIPE_REWARD_OF_ACTIONS},
                },
                task_free=("recipe",),
            ),
        },
    ),
)

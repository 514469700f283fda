"""Proximal policy optimisation on the environment's own reward."""

from __future__ import annotations

from dataclasses import dataclass

from depo.methods.on_policy import presets, settings
from depo.methods.registry import ON_POLICY, Implementation, MethodSpec, deferred
from depo.methods.settings_tree import MethodSettings


@dataclass(frozen=True)
class OnPolicyPPO(MethodSettings):
    """Proximal policy optimisation on the environment's own reward."""

    collection: settings.Collection = settings.Collection()
    exploration: settings.Exploration = settings.Exploration()
    learning: settings.Learning = settings.Learning()
    saving: settings.Saving = settings.Saving()
    actor: settings.Actor = settings.Actor()
    critic: settings.Critic = settings.Critic()


METHODS = (
    MethodSpec(
        name="ppo",
        summary="Proximal policy optimisation on the environment's own reward.",
        colour="#7f7f7f",
        needs_demonstrations=False,
        uses_reward=True,
        implementations={
            ON_POLICY: Implementation(
                settings=OnPolicyPPO,
                build=deferred("depo.methods.ppo.on_policy:PPOMethod"),
                default_steps=presets.DEFAULT_STEPS,
                presets={
                    "fast": {"batch_steps": 64, "critic_rate": 3e-3, "actor_rate": 1e-3},
                    "paper": {},
                },
            ),
        },
    ),
)

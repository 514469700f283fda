"""Soft actor-critic on the environment's own reward: how experts are made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from depo.methods.off_policy import presets, settings
from depo.methods.registry import OFF_POLICY, Implementation, MethodSpec, deferred
from depo.methods.settings_tree import MethodSettings, named


@dataclass(frozen=True)
class OffPolicySAC(MethodSettings):
    """Soft actor-critic on the environment's own reward: how experts are made."""

    collection: settings.Collection = settings.Collection(replay=1_000_000, termination="zero")
    exploration: settings.Exploration = settings.Exploration()
    learning: settings.Learning = settings.Learning()
    saving: settings.Saving = settings.Saving()
    networks: settings.Networks = settings.Networks()
    actor: settings.Actor = settings.Actor()
    critic: settings.Critic = settings.Critic()
    reward_scale: float = named(1.0, "reward_scale", heading="critic")
    """Factor on the reward."""

    def problems(self) -> Iterator[str]:
        """No discriminator to make an absorbing state of."""
        yield from settings.end_problem(self, "sac")


METHODS = (
    MethodSpec(
        name="sac",
        summary="Soft actor-critic on the environment's own reward: how experts are made.",
        colour="#444444",
        needs_demonstrations=False,
        uses_reward=True,
        implementations={
            OFF_POLICY: Implementation(
                settings=OffPolicySAC,
                build=deferred("depo.methods.sac.off_policy:SACMethod"),
                default_steps=presets.DEFAULT_STEPS,
                presets={
                    "fast": {"minibatch": 128, "actor_rate": 1e-3, "critic_rate": 1e-3},
                    "paper": {
                        **presets.AUTHORS_GATHERING,
                        **presets.AUTHORS_NETWORKS,
                        **presets.AUTHORS_CRITIC,
                        **presets.AUTHORS_ACTOR,
                        "termination": "zero",
                        "replay": 1_000_000,
                        "reward_scale": 2.0,
                    },
                },
            ),
        },
    ),
)

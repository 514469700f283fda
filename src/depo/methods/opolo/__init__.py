"""Off-policy learning from observations by the dual of an f-divergence (Zhu et al., 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from depo.methods.off_policy import presets, settings
from depo.methods.registry import OFF_POLICY, Implementation, MethodSpec, deferred
from depo.methods.settings_tree import MethodSettings, Rule, named

Divergence = Literal["chi-square", "kl"]


@dataclass(frozen=True)
class OffPolicyOPOLO(MethodSettings):
    """Off-policy learning from observations: the dual of an f-divergence, and actions that the
    skill reads into demonstrations."""

    collection: settings.Collection = settings.Collection()
    exploration: settings.Exploration = settings.Exploration()
    learning: settings.Learning = settings.Learning()
    saving: settings.Saving = settings.Saving()
    networks: settings.Networks = settings.Networks()
    demos: settings.Demos = settings.Demos()
    coordinates: settings.Coordinates = settings.Coordinates()
    pair_view: settings.PairView = settings.PairView()
    actor: settings.Actor = settings.Actor()
    critic: settings.Critic = settings.Critic()
    discriminator: settings.Discriminator = settings.Discriminator()
    skill: settings.Skill = settings.Skill()
    divergence: Divergence = named("chi-square", "divergence", heading="critic")
    """Which f-divergence from the replay bounds the one from the expert."""
    start_weight: float = named(0.01, "start_weight", heading="critic")
    """Weight of E[Q(s,π(s))] in the dual, 1−γ in the equation."""
    inverse_weight: float = named(0.1, "inverse_weight", heading="policy")
    """Weight of the squared error between the policy's actions in demonstrated states and those
    that the skill reads into what followed."""
    rules: ClassVar[tuple[Rule, ...]] = settings.ENDS


_AUTHORS: dict[str, Any] = {
    "batch_steps": 1_000,
    "replay": 1_000_000,
    "random_steps": 10_000,
    "minibatch": 100,
    "termination": "zero",
    "average": 0.0,
    "critic_norm": False,
    "discriminator_hidden": 256,
    "gradient_penalty": 10.0,
    "reward_scale": 1.0,
    "pair_input": "states",
    "start_weight": 0.002,
    "inverse_weight": 0.1,
    "evaluate_every": 10,
    "checkpoint_every": 2,
}
_HOPPER = {
    "actor_rate": 1e-4,
    "critic_rate": 1e-4,
    "start_weight": 0.0002,
    "inverse_weight": 0.01,
}

METHODS = (
    MethodSpec(
        name="opolo",
        summary=(
            "Off-policy learning from observations: the dual of an f-divergence, with a skill that "
            "labels demonstrations."
        ),
        colour="#bcbd22",
        has_skill=True,
        implementations={
            OFF_POLICY: Implementation(
                settings=OffPolicyOPOLO,
                build=deferred("depo.methods.opolo.off_policy:OPOLOMethod"),
                default_steps=presets.DEFAULT_STEPS,
                presets={
                    "fast": {**presets.FAST, **presets.FAST_REWARD, **presets.FAST_SKILL},
                    "paper": _AUTHORS,
                    "recipe": {
                        **presets.RECIPE,
                        **presets.RECIPE_REWARD,
                        **presets.RECIPE_SKILL,
                    },
                },
                task_free=("recipe",),
                tasks={"paper": {"Hopper-v5": _HOPPER}},
            ),
        },
    ),
)

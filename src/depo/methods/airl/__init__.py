"""Adversarial inverse reinforcement learning, and its reward elsewhere (Fu et al., 2018)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from depo.methods.off_policy import presets, settings
from depo.methods.registry import OFF_POLICY, Implementation, MethodSpec, deferred
from depo.methods.settings_tree import Heading, MethodSettings, Part, Rule, named


@dataclass(frozen=True)
class OffPolicyAIRL(MethodSettings):
    """Adversarial inverse reinforcement learning: the discriminator is a reward of states, which is
    kept."""

    collection: settings.Collection = settings.Collection(termination="relative")
    exploration: settings.Exploration = settings.Exploration()
    learning: settings.Learning = settings.Learning()
    saving: settings.Saving = settings.Saving()
    networks: settings.Networks = settings.Networks()
    demos: settings.Demos = settings.Demos()
    coordinates: settings.Coordinates = settings.Coordinates()
    actor: settings.Actor = settings.Actor()
    critic: settings.Critic = settings.Critic()
    discriminator: settings.Discriminator = settings.Discriminator(
        reward_centre=1e-3, reward_spread=1e-3, gradient_penalty=1.0
    )
    log_prob_clip: float = named(10.0, "log_prob_clip", heading="discriminator")
    """Bound on log π(a|s) for each number of an action, as the discriminator sees it; 0: none."""
    rules: ClassVar[tuple[Rule, ...]] = settings.ENDS


@dataclass(frozen=True)
class GivenReward(Part):
    """A reward that is given, in units of its own."""

    heading: ClassVar[Heading] = "critic"
    reward_scale: float = 0.2
    """Factor on the reward."""
    reward_centre: float = 1e-3
    """Rate, for each update, at which the mean reward is followed; it is subtracted from every
    reward, so that values stay near zero."""
    reward_spread: float = 1e-3
    """Rate, for each update, at which the reward's deviation is followed; every reward is divided
    by it before scaling; 0: it is not."""
    end_cost: float = 1.0
    """Where an end is relative: how many standard deviations of the target critics' values it lies
    below their mean."""


@dataclass(frozen=True)
class OffPolicyRewarded(MethodSettings):
    """Soft actor-critic on a reward that airl left (--reward-from), in other dynamics."""

    collection: settings.Collection = settings.Collection(replay=1_000_000, termination="relative")
    exploration: settings.Exploration = settings.Exploration()
    learning: settings.Learning = settings.Learning()
    saving: settings.Saving = settings.Saving()
    networks: settings.Networks = settings.Networks()
    actor: settings.Actor = settings.Actor()
    critic: settings.Critic = settings.Critic()
    reward: GivenReward = GivenReward()
    rules: ClassVar[tuple[Rule, ...]] = (settings.ENDS[1],)

    def problems(self) -> Iterator[str]:
        """No discriminator to make an absorbing state of."""
        if self.collection.termination == "absorbing":
            yield "termination 'absorbing' is for a discriminator: take relative, zero or ignored"


_AUTHORS: dict[str, Any] = {
    "hidden": 32,
    "discriminator_hidden": 32,
    "discriminator_rate": 1e-3,
    "termination": "ignored",
    "average": 0.0,
    "standardise": False,
    "critic_norm": False,
    "gradient_penalty": 0.0,
    "log_prob_clip": 0.0,
    "logit_clip": 0.0,
    "reward_scale": 1.0,
    "reward_centre": 0.0,
    "reward_spread": 0.0,
    "temperature": 0.1,
    "tune_temperature": False,
}
"""Networks, rates and entropy of the ant; TRPO's own settings have no place here."""

METHODS = (
    MethodSpec(
        name="airl",
        summary=(
            "Adversarial inverse reinforcement learning: the discriminator is a reward of states, "
            "which is kept."
        ),
        colour="#e377c2",
        needs_actions=True,
        exports=("reward",),
        implementations={
            OFF_POLICY: Implementation(
                settings=OffPolicyAIRL,
                build=deferred("depo.methods.airl.off_policy:AIRLMethod"),
                default_steps=presets.DEFAULT_STEPS,
                presets={
                    "fast": presets.FAST,
                    "paper": _AUTHORS,
                    "recipe": {**presets.RECIPE, "discriminator_hidden": 0},
                },
                task_free=("recipe",),
            ),
        },
    ),
    MethodSpec(
        name="airl-transfer",
        summary="Soft actor-critic on a reward that airl left (--reward-from), in other dynamics.",
        colour="#f7b6d2",
        needs_demonstrations=False,
        takes_reward=True,
        exports=("reward",),
        implementations={
            OFF_POLICY: Implementation(
                settings=OffPolicyRewarded,
                build=deferred("depo.methods.airl.off_policy:RewardedMethod"),
                default_steps=presets.DEFAULT_STEPS,
                presets={
                    "fast": presets.FAST,
                    "paper": {
                        "hidden": 32,
                        "termination": "ignored",
                        "average": 0.0,
                        "critic_norm": False,
                        "reward_scale": 1.0,
                        "reward_centre": 0.0,
                        "reward_spread": 0.0,
                        "temperature": 0.1,
                        "tune_temperature": False,
                    },
                    "recipe": {**presets.FAST, "hidden": 0, "quiet": 0.5},
                },
                task_free=("recipe",),
            ),
        },
    ),
)

"""The discriminator, the reward made of it, and what ends are worth by it. No JAX here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from depo.methods.off_policy.settings.learner import OffPolicySettings
from depo.methods.on_policy.settings import (
    RewardForm,
)
from depo.methods.settings_tree import Heading, Part, Rule, named


@dataclass(frozen=True)
class Discriminator(Part):
    """The discriminator and the reward made of it."""

    heading: ClassVar[Heading] = "discriminator"
    reward: RewardForm = "logit"
    """Reward from the discriminator; 'constant' is a control that imitates nothing."""
    reward_scale: float = 0.2
    """Factor on the reward."""
    reward_shift: float = 0.0
    """Added before scaling."""
    reward_centre: float = 0.0
    """Rate, for each update, at which the mean reward is followed; it is subtracted from every
    reward, the absorbed agent's too, so that values stay near zero."""
    reward_spread: float = 0.0
    """Rate, for each update, at which the reward's deviation is followed; every reward is divided
    by it before scaling, so that the discriminator's slope does not matter; 0: it is not."""
    logit_clip: float = 10.0
    """Bound on the logit the reward is made of; 0: none."""
    absorbing_logit: float = 5.0
    """The logit, with a minus, whose reward an absorbed agent earns for ever."""
    end_cost: float = 1.0
    """Where an end is relative: how many standard deviations of the target critics' values it lies
    below their mean."""
    rate: float = named(3e-4, "discriminator_rate")
    """Adam's learning rate for the discriminator."""
    hidden: int = named(128, "discriminator_hidden", derived=True)
    """Units in its two hidden layers; 0: half of what ``hidden`` 0 stands for."""
    gradient_penalty: float = 4.0
    """Weight of (‖∇logit‖ − 1)² between expert and agent transitions."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            ("logit_clip", "absorbing_logit"),
            lambda part, _: part.reward == "constant",
            "reward is 'constant'",
        ),
    )


ENDS = (
    Rule(
        ("absorbing_logit",),
        lambda s, _: s.collection.termination != "absorbing",
        "termination is not 'absorbing'",
    ),
    Rule(
        ("end_cost",),
        lambda s, _: s.collection.termination != "relative",
        "termination is not 'relative'",
    ),
)
"""For methods that a discriminator rewards."""


NO_RETURN = "this method learns from no return"


def end_problem(
    settings: OffPolicySettings, method: str, reward: str = "the environment's"
) -> Iterator[str]:
    """For methods whose reward, the environment's or another, has a zero of its own."""
    if (end := settings.collection.termination) in ("absorbing", "relative"):
        yield (
            f"termination '{end}' is for a discriminator's reward, which has no zero of its own; "
            f"{method} has {reward}: zero or ignored"
        )

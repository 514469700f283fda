"""Twin critics, a plain policy, and what networks share. No JAX here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from depo.methods.on_policy.settings import (
    gamma_problems,
)
from depo.methods.settings_tree import Heading, Part, named


@dataclass(frozen=True)
class Networks(Part):
    """What actor, planner and critics share."""

    heading: ClassVar[Heading] = "policy"
    hidden: int = named(256, "hidden", derived=True)
    """Units in every hidden layer of actor, planner and critic; 0: by the number of features and
    actions."""
    adam_beta: float = 0.9
    """Adam's β₁ for actor, planner and critics."""


@dataclass(frozen=True)
class Critic(Part):
    """Twin critics with slowly following targets."""

    heading: ClassVar[Heading] = "critic"
    rate: float = named(3e-4, "critic_rate")
    """Adam's learning rate for the critics."""
    norm: bool = named(True, "critic_norm")
    """Layer normalisation (no learned scale) in the critics."""
    follow: float = 0.005
    """τ: how far the target critics move towards the critics in one update."""
    gamma: float = 0.99
    """Discount."""

    def problems(self) -> Iterator[str]:
        """A discount below one."""
        yield from gamma_problems(self.gamma)


@dataclass(frozen=True)
class DemoTransitions(Part):
    """Demonstrated transitions for the critics."""

    heading: ClassVar[Heading] = "critic"
    share: float = named(0.0, "demo_share")
    """Demonstrated transitions the critics learn from beside each minibatch, as a share of it;
    their actions are those the skill would take."""


@dataclass(frozen=True)
class Actor(Part):
    """A tanh-Gaussian policy trained by soft actor-critic."""

    heading: ClassVar[Heading] = "policy"
    rate: float = named(3e-4, "actor_rate")
    """Adam's learning rate for the policy."""
    temperature: float = 0.2
    """Weight α of the policy's entropy, at first."""
    tune_temperature: bool = True
    """Whether α is adjusted so that the entropy stays near −(number of action dimensions)."""
    output_penalty: float = 0.0
    """Weight of the mean square of the policy's outputs before the tanh, and of its log-std."""

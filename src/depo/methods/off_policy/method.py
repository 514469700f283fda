"""What an off-policy method is: how it begins, how it acts, what one gradient step does to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

import optax
from jaxtyping import Array, Bool, Float, Key

from depo.methods.descent import Trained
from depo.models.policy import Policy
from depo.models.standard import Standard

Agent = dict[str, Trained]
"""A method's models by name: planner, skill, actor, critic, target, discriminator, …"""
Metrics = dict[str, Float[Array, ""]]
Pairs = tuple[Float[Array, "pairs sees"], Float[Array, "pairs sees"]]
"""Expert transitions (s,s')."""


class Batch(NamedTuple):
    """Transitions drawn from the replay."""

    state: Float[Array, "batch sees"]
    action: Float[Array, "batch actions"]
    next_state: Float[Array, "batch sees"]
    reward: Float[Array, " batch"]
    terminated: Bool[Array, " batch"]


@dataclass(frozen=True)
class Pace:
    """How learning rates change over a run of so many updates: they stay, from ``after`` of the run
    on they fall linearly, and end at a share of themselves.

    >>> Pace().adam(1e-3) is not None
    True
    """

    updates: int = 0
    anneal: float = 1.0
    after: float = 0.0
    missed: int = 0
    """Updates of the run before the first of what goes at this pace."""
    turns: int = 1
    """Kinds that take turns with one planner, each for so many updates."""

    def adam(self, rate: float, beta: float = 0.9) -> optax.GradientTransformation:
        """Adam; the losses here are averages over minibatches and need no clipping."""
        if not self.updates or self.anneal == 1.0:
            return optax.adam(rate, b1=beta)
        steady = round(self.after * self.updates)
        falling = optax.linear_schedule(rate, rate * self.anneal, self.updates - steady, steady)
        return optax.adam(lambda count: falling(count + self.missed), b1=beta)

    def of_planner(self) -> Pace:
        """The pace of the planner, which learns in every turn."""
        return replace(self, updates=self.updates * self.turns)

    def joined_after(self, missed: int) -> Pace:
        """The pace of what begins to learn after so many updates of the run."""
        return replace(self, missed=missed)


STEADY = Pace()


class Shape(NamedTuple):
    """What a method must know of an environment: coordinates of its states, size of its actions."""

    standard: Standard
    actions: int
    skill_standard: Standard
    """Of what the skill sees: the state, with its memory also the state before."""
    predicts: tuple[int, ...]
    """The features of a state that are planned."""


@runtime_checkable
class OffPolicyMethod(Protocol):
    """Pure functions around an immutable :data:`Agent`."""

    @property
    def settings(self) -> Any:
        """The method's settings."""

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """Fresh models."""

    def policy(self, agent: Agent) -> Policy:
        """How the agent acts now."""

    def update(
        self, agent: Agent, batch: Batch, wide: Batch, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """The agent after one gradient step; ``wide`` is drawn from the skill's longer memory."""

"""What an off-policy method is: how it begins, how it acts, what one gradient step does to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

import optax
from jaxtyping import Array, Float, Key

from depo.data.transitions import Pairs, Transitions
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy.settings import Learning, OffPolicySettings, PairInput
from depo.models.normaliser import Normaliser
from depo.models.planner import GaussianPlanner
from depo.models.policy import PolicyModel


@dataclass(frozen=True)
class Pace:
    """How learning rates change over a run of n updates: they stay, from ``after`` of the run
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
    """Variants that take turns with one planner, each for ``updates``."""

    def adam(self, rate: float, beta: float = 0.9) -> optax.GradientTransformation:
        """Adam; the losses here are averages over minibatches and need no clipping."""
        if not self.updates or self.anneal == 1.0:
            return optax.adam(rate, b1=beta)
        steady = round(self.after * self.updates)
        falling = optax.linear_schedule(rate, rate * self.anneal, self.updates - steady, steady)
        return optax.adam(lambda count: falling(count + self.missed), b1=beta)

    @classmethod
    def for_run(cls, learning: Learning, updates: int, turns: int = 1) -> Pace:
        """The pace that settings ask for; ``turns`` variants, each with a method of its own, may
        take turns with one planner."""
        return cls(updates, learning.anneal, learning.anneal_after, turns=turns)

    def of_planner(self) -> Pace:
        """The pace of the planner, which learns in every turn."""
        return replace(self, updates=self.updates * self.turns)

    def joined_after(self, missed: int) -> Pace:
        """The pace of what begins to learn after n updates of the run."""
        return replace(self, missed=missed)


STEADY = Pace()


class Shape(NamedTuple):
    """What a method must know of an environment: coordinates of its states, size of its actions."""

    normaliser: Normaliser
    actions: int
    skill_normaliser: Normaliser
    """Of what the skill sees: the state, with its memory also the state before."""
    predicts: tuple[int, ...]
    """The features of a state that the planner predicts."""
    choices: tuple[int, ...] = ()
    """Among how many each choice is, where actions are choices as one-hot vectors."""
    expert: Pairs | None = None
    """The demonstrated steps, for a method that keeps them; None: there are none."""
    expert_ends: float = 0.0
    """Share of the demonstrated steps that end an episode, where most end by themselves."""

    def skill_input(self, asked: PairInput) -> PairInput:
        """How a skill sees pairs: as asked, or in typical steps where they are known."""
        return asked if self.normaliser.step is None else "difference"

    def layers(self, asked: int, count: int = 2, share: int = 1) -> tuple[int, ...]:
        """Units of hidden layers: as asked; if that is 0, twelve for each feature and action, as a
        power of two from 64 to 256, or a share of it.

        >>> Shape(Normaliser.none(11), 3, Normaliser.none(11), (0,)).layers(0)
        (256, 256)
        >>> Shape(Normaliser.none(4), 1, Normaliser.none(4), (0,)).layers(0, share=2)
        (32, 32)
        """
        wanted = 12 * (self.normaliser.mean.shape[0] + self.actions)
        units = min(max(1 << (wanted - 1).bit_length(), 64), 256) // share
        return (asked or units,) * count


@runtime_checkable
class OffPolicyMethod(Protocol):
    """Pure functions around an immutable :data:`Agent`; :class:`depo.methods.method.Method`
    has the defaults."""

    @property
    def settings(self) -> OffPolicySettings | Any:
        """The method's settings."""

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """Fresh models."""

    def with_planner(self, agent: Agent, planner: GaussianPlanner) -> Agent:
        """The agent with a planner that is given."""

    def after(self, steps: int) -> OffPolicyMethod:
        """The method from n environment steps on."""

    def policy(self, agent: Agent) -> PolicyModel:
        """How the agent acts now."""

    def update(
        self,
        agent: Agent,
        batch: Transitions,
        wide: Transitions,
        expert: Any,
        key: Key[Array, ""],
    ) -> tuple[Agent, Metrics]:
        """The agent after one gradient step; ``wide`` is drawn from the skill's longer memory, and
        ``expert`` is :data:`Pairs`, or :class:`Acted` where the method needs actions."""


@runtime_checkable
class AddsLosses(OffPolicyMethod, Protocol):
    """A method whose planner can follow the sum of several variants' losses."""

    def update_critics(
        self, agent: Agent, batch: Transitions, expert: Pairs, keys: Key[Array, " more"]
    ) -> tuple[Agent, Float[Array, " batch"], Metrics]:
        """What makes the reward, and critics; min Q of the batch as it was before."""

    def planner_loss(
        self,
        planner: GaussianPlanner,
        agent: Agent,
        batch: Transitions,
        value: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Float[Array, ""], Metrics]:
        """What the planner follows, with metrics."""

    def planner_optimiser(self) -> optax.GradientTransformation:
        """Of the planner."""

    def fit_skill(
        self, agent: Agent, batch: Transitions, wide: Transitions, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """A step of the skill."""

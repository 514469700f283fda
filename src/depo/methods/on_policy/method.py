"""What a method is: how it begins, how it acts, what one iteration does to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, runtime_checkable

from jaxtyping import Array, Float, Key

from depo.data.transitions import Pairs, Rollout
from depo.methods.method import Agent, Metrics
from depo.methods.on_policy.experience import Memory
from depo.methods.on_policy.settings import OnPolicySettings
from depo.models.planner import CategoricalPlanner
from depo.models.policy import PolicyModel


class Spaces(NamedTuple):
    """What a method must know of an environment: how many states and actions there are."""

    states: int
    actions: int


@runtime_checkable
class OnPolicyMethod(Protocol):
    """Pure functions around an immutable :data:`Agent`; :class:`depo.methods.method.Method`
    has the defaults."""

    @property
    def settings(self) -> OnPolicySettings | Any:
        """The method's settings."""

    def init(self, key: Key[Array, ""], shape: Spaces) -> Agent:
        """Fresh models."""

    def with_planner(self, agent: Agent, planner: CategoricalPlanner) -> Agent:
        """The agent with a planner that is given."""

    def policy(self, agent: Agent) -> PolicyModel:
        """How the agent acts now."""

    def update(
        self, agent: Agent, rollout: Rollout, memory: Memory, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """The agent after learning from one rollout; ``memory`` already holds it."""


class PlannerSteps(NamedTuple):
    """A planner's loss, and the minibatches that it is followed on, one step each."""

    loss: Callable[[CategoricalPlanner, Any], Float[Array, ""]]
    batches: Any


@runtime_checkable
class AddsLosses(OnPolicyMethod, Protocol):
    """A method whose planner can follow the sum of several variants' losses."""

    def prepare(
        self, agent: Agent, rollout: Rollout, memory: Memory, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, PlannerSteps, Metrics]:
        """All of :meth:`update` but the planner, and the steps that it is then to take."""

    def update_planner(
        self, agent: Agent, steps: PlannerSteps, metrics: Metrics
    ) -> tuple[Agent, Metrics]:
        """The planner's steps."""

"""What a method is: how it begins, how it acts, what one iteration does to it."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from jaxtyping import Array, Key

from depo.methods.descent import Trained
from depo.methods.on_policy.experience import Memory, Rollout
from depo.methods.on_policy.steps import Metrics, Pairs
from depo.models.policy import Policy
from depo.settings.on_policy import OnPolicySettings

Agent = dict[str, Trained]
"""A method's models by name: planner, skill, actor, critic, discriminator."""


@runtime_checkable
class Method(Protocol):
    """Pure functions around an immutable :data:`Agent`."""

    @property
    def settings(self) -> OnPolicySettings | Any:
        """The method's settings."""

    def init(self, key: Key[Array, ""], states: int, actions: int) -> Agent:
        """Fresh models."""

    def policy(self, agent: Agent) -> Policy:
        """How the agent acts now."""

    def update(
        self, agent: Agent, rollout: Rollout, memory: Memory, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """The agent after learning from one rollout; ``memory`` already holds it."""

"""What every method has, whatever learner it is for."""

from __future__ import annotations

from typing import Any

from jaxtyping import Array, Float

from depo.methods.optimisation import Trained

Agent = dict[str, Trained]
"""A method's models by name: planner, skill, actor, critic, target, discriminator, …"""
Metrics = dict[str, Float[Array, ""]]


class Method:
    """What most methods do: take no planner, and stay the same throughout."""

    def with_planner(self, agent: Agent, planner: Any) -> Agent:
        """Refused: this method trains its own."""
        raise TypeError(f"{type(self).__name__} takes no planner")

    def after(self, steps: int) -> Any:
        """The same method, from n environment steps on too."""
        return self

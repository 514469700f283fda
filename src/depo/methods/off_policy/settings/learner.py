"""What the off-policy learner reads of any method's settings. No JAX here."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from depo.methods.off_policy.settings.collection import Collection, Exploration, Learning, Saving
from depo.methods.off_policy.settings.skill import Skill


@runtime_checkable
class OffPolicySettings(Protocol):
    """What the off-policy learner reads of any method's settings; it also looks for the parts
    ``skill``, ``demos``, ``coordinates``, ``features`` and ``fine_tuning``, which a method may
    lack."""

    @property
    def collection(self) -> Collection:
        """How data are gathered and kept."""

    @property
    def exploration(self) -> Exploration:
        """What the agent does beside its policy."""

    @property
    def learning(self) -> Learning:
        """How much is learned from the data, and at what pace."""

    @property
    def saving(self) -> Saving:
        """How often the run is looked at and saved."""


def skill_part(settings: Any) -> Skill | None:
    """How a method fits its skill; None: it has none to fit."""
    return getattr(settings, "skill", None)


def uses_memory(settings: Any) -> bool:
    """Whether a method's skill also sees the state before."""
    part = getattr(settings, "skill", None)
    return bool(getattr(part, "memory", False))


def steps_ahead(settings: Any, features: int, actions: int) -> int:
    """How far the goals of a method lie ahead; 1: in the next state. As asked; if that is 0, twice
    as many steps as it takes until there are as many numbers in the actions as in a goal, since
    fewer than that many cannot lead to any goal.
    """
    goals = getattr(settings, "goals", None)
    if goals is None:
        return 1
    return goals.ahead or 2 * -(-features // actions)


def is_fine_tuned(settings: Any) -> bool:
    """Whether a planner that is given learns on at some time."""
    return getattr(settings, "fine_tuning", None) is not None

"""What the loop of a run asks of a learner."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from depo.models.policy import Policy
from depo.models.skill import Skill


@runtime_checkable
class Learner(Protocol):
    """Gathers data and updates agents; its state is a pytree that only it understands."""

    def init(self, seeds: Sequence[int], planners: Any = None) -> Any:
        """Fresh agents."""

    def with_skill(self, state: Any, skill: Skill) -> Any:
        """The agents with this skill in place of their own."""

    def synchronise(self, state: Any, number: int) -> None:
        """Reset the environments, as a checkpoint's number and the seeds alone determine."""

    def advance(self, state: Any) -> tuple[Any, dict[str, np.ndarray]]:
        """Learn until the next evaluation; metrics have one entry for each seed."""

    def policy(self, state: Any, index: int) -> Policy:
        """The policy of one seed."""

    def save_experience(self, folder: Path) -> None:
        """Write what was gathered since the last checkpoint, unless it is part of the state."""

    def load_experience(self, folder: Path, steps: int) -> None:
        """What had been gathered after so many steps."""

    def close(self) -> None:
        """Close the environments."""

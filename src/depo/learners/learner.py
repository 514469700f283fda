"""What the loop of a run asks of a learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from depo.models.planner import Planner
from depo.models.policy import PolicyModel
from depo.models.skill import Skill


class Trunks(NamedTuple):
    """Skills whose layers but the last each seed's own begins with."""

    skills: tuple[Skill, ...]


GivenSkill = Skill | Mapping[str, Skill] | Trunks | None
"""A skill to begin with; co-training takes one for each variant, by its name."""


@runtime_checkable
class Learner(Protocol):
    """Gathers data and updates agents; its state is a pytree that only it understands."""

    def init(self, seeds: Sequence[int], planners: Any = None, skill: Any = None) -> Any:
        """Fresh agents; with planners (one for each seed) that are given in a transfer, and with a
        skill (:data:`GivenSkill`) in place of their own."""

    def synchronise(self, state: Any, number: int) -> None:
        """Reset the environments, as a checkpoint's number and the seeds alone determine."""

    def advance(self, state: Any) -> tuple[Any, dict[str, np.ndarray]]:
        """Learn until the next evaluation; metrics have one entry for each seed."""

    def policy(self, state: Any, index: int) -> PolicyModel:
        """The policy of one seed; of several variants the first one's."""

    def policies(self, state: Any, index: int) -> dict[str, PolicyModel]:
        """The policy of one seed with every variant; where there are none, one under no name."""

    def skill(self, state: Any, index: int) -> Skill | None:
        """The skill that one seed learns beside its policy; None: it learns none."""

    def skills(self, state: Any, index: int) -> dict[str, Skill | None]:
        """The same with every variant."""

    def reward(self, state: Any, index: int) -> Any:
        """The reward of states that one seed learns, or learns by; None: it has none."""

    def planner(self, state: Any, index: int) -> Planner | None:
        """The planner that one seed learns beside a policy that does not act by it, if any."""

    def save_experience(self, folder: Path) -> None:
        """Write what was gathered since the last checkpoint, unless it is part of the state."""

    def save_experience_until(self, folder: Path, steps: int) -> bool:
        """The same as it was after n steps, between two checkpoints, if that is known still and
        :meth:`catch_up` can go on from there."""

    def load_experience(self, folder: Path, steps: int, checkpoint: int) -> None:
        """What had been gathered after n steps, and the steps of the last checkpoint before."""

    def catch_up(self, state: Any, number: int, checkpoint: int) -> bool:
        """Bring the environments from the reset at the last checkpoint (its number, its steps) to
        where they were after all that has been gathered; whether they came there."""

    def close(self) -> None:
        """Close the environments."""


class OneEnvironment:
    """For learners in one environment, without variants."""

    def policy(self, state: Any, index: int) -> PolicyModel:
        """The policy of one seed."""
        raise NotImplementedError

    def policies(self, state: Any, index: int) -> dict[str, PolicyModel]:
        """The policy of one seed under no name."""
        return {"": self.policy(state, index)}

    def skill(self, state: Any, index: int) -> Skill | None:
        """The skill that one seed learns beside its policy; None: it learns none."""
        raise NotImplementedError

    def skills(self, state: Any, index: int) -> dict[str, Skill | None]:
        """The skill of one seed under no name."""
        return {"": self.skill(state, index)}

    def reward(self, state: Any, index: int) -> Any:
        """Of no seed."""
        return None

    def planner(self, state: Any, index: int) -> Planner | None:
        """None: policies act by their planners."""
        return None

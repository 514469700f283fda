"""How many states and actions there are, or how long their vectors."""

from __future__ import annotations

from typing import NamedTuple

from depo.models.action_space import ActionSpace


class Sizes(NamedTuple):
    """Finite spaces: how many states and actions."""

    states: int
    actions: int


class VectorSizes(NamedTuple):
    """Lengths of state and action vectors."""

    states: int
    actions: int
    choices: tuple[int, ...] = ()
    """Among how many each choice is, where actions are choices as one-hot vectors."""

    @property
    def action_space(self) -> ActionSpace:
        """What actions are, as vectors."""
        return ActionSpace(self.actions, self.choices)

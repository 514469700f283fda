"""Steps of a recording or of an environment, and what is typical of every feature in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from depo.data.demonstrations import Demonstrations

MOST = 20_000
"""Steps that are looked at; of longer recordings as many, evenly chosen."""
MOST_OF = 0.95
"""The quantile that stands for "as large as it usually gets"."""
NOTHING = 1e-9
"""Numbers below this, in units of what is usual, are rounding."""


@dataclass(frozen=True, eq=False)
class Moves:
    """States, the states that followed them (steps, features), and those that began an episode."""

    states: np.ndarray
    reached: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, demos: Demonstrations) -> Moves:
        """Those of a recording."""
        states, reached = demos.transitions()
        chosen = np.linspace(0, len(states) - 1, min(MOST, len(states))).astype(int)
        first = np.cumsum(demos.episode_lengths) - demos.episode_lengths
        parts = (states[chosen], reached[chosen], demos.observations[first[:MOST]])
        return cls(*(part.astype(np.float64) for part in parts))

    def __getitem__(self, columns: np.ndarray) -> Moves:
        """Features in another order."""
        return Moves(*(part[:, columns] for part in (self.states, self.reached, self.starts)))

    def __mul__(self, factors: np.ndarray) -> Moves:
        """Features in other units."""
        return Moves(self.states * factors, self.reached * factors, self.starts * factors)

    @property
    def features(self) -> int:
        """How many numbers a state has."""
        return int(self.states.shape[1])

    @cached_property
    def change(self) -> np.ndarray:
        """s' − s."""
        return self.reached - self.states

    @cached_property
    def held(self) -> np.ndarray:
        """Which steps change nothing at all."""
        return (self.change == 0).all(axis=1)

    @cached_property
    def paused(self) -> np.ndarray:
        """Those of them with a step of the usual size before or after: who rests may rest."""
        size = np.abs(self.change).sum(axis=1)
        before, after = np.concatenate([[0.0], size[:-1]]), np.concatenate([size[1:], [0.0]])
        return self.held & (np.maximum(before, after) > np.median(size))

    def spread(self, centre: np.ndarray) -> np.ndarray:
        """How far every feature usually gets from a centre."""
        return np.quantile(np.abs(self.states - centre), MOST_OF, axis=0)

    @cached_property
    def usual_change(self) -> np.ndarray:
        """How much every feature usually changes in a step, at most."""
        return np.quantile(np.abs(self.change), MOST_OF, axis=0)

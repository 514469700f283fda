"""A recording beside an environment: the numbers that every check reads."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from depo.analysis.recordings.exploration import Explored
from depo.analysis.recordings.moves import NOTHING, Moves
from depo.analysis.recordings.pairs import Pair, find_pairs, slope

BROKEN = 0.5
"""The correlation below which a pair of the environment is none in the recording."""
OPPOSITE, AS_MUCH = 0.85, float(np.log(1.5))
"""The correlation, and how near a slope must be, of a pair of which one has the other sign."""
AWAY = 3.0
"""Starts whose middle is this many widths from 0 are compared by their middle, others by width."""
NOISE = 1e-2
"""Part of a feature's usual range by which starts may always differ: sensors are noisy."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Steps recorded, steps explored, and what they say of each other, feature by feature."""

    recording: Moves
    explored: Explored
    names: tuple[str, ...]
    ignored: tuple[int, ...] = ()
    """Features that are known to be wrong, of which nothing else is said."""

    def corrected(
        self, columns: np.ndarray | None = None, factors: np.ndarray | None = None
    ) -> Comparison:
        """The same, were the recording's features in another order or in other units."""
        moves = self.recording if columns is None else self.recording[columns]
        return replace(self, recording=moves if factors is None else moves * factors)

    def without(self, features: Collection[int]) -> Comparison:
        """The same, saying nothing else of features that are known to be wrong."""
        return replace(self, ignored=tuple(sorted({*self.ignored, *features})))

    def without_held_steps(self) -> Comparison:
        """The same without recorded steps that change nothing, if there are others."""
        own = self.recording
        kept = ~own.held if not own.held.all() else np.full(len(own.states), True)
        return replace(self, recording=Moves(own.states[kept], own.reached[kept], own.starts))

    @cached_property
    def pairs(self) -> list[Pair]:
        """Positions and velocities of the environment."""
        return find_pairs(self.explored.moves)

    @cached_property
    def recorded_pairs(self) -> list[Pair]:
        """The same features of the recording."""
        own = self.recording
        return [slope(own, pair.position, pair.velocity, pair.share) for pair in self.pairs]

    @cached_property
    def pair_ratios(self) -> np.ndarray:
        """log of recorded over explored slope; NaN where the recording has no slope."""
        return np.array(
            [
                np.log(own.slope / pair.slope)
                if own.correlation >= BROKEN and own.slope > 0 and not self._is_ignored(pair)
                else np.nan
                for pair, own in zip(self.pairs, self.recorded_pairs, strict=True)
            ]
        )

    @cached_property
    def pair_weights(self) -> np.ndarray:
        """How much every pair's ratio says, by its correlation in the recording."""
        return np.array(
            [np.nan_to_num(max(own.correlation, 0.0)) ** 2 for own in self.recorded_pairs]
        )

    @cached_property
    def broken(self) -> list[Pair]:
        """Pairs of the environment that the recording does not have, though both features move."""
        moving = ~self.is_constant(self.recording)
        return [
            pair
            for pair, own in zip(self.pairs, self.recorded_pairs, strict=True)
            if own.correlation < BROKEN
            and moving[list(pair.both)].all()
            and not self._is_ignored(pair)
        ]

    @cached_property
    def opposite(self) -> list[Pair]:
        """Those of them whose position changes as much as its velocity says, the other way."""
        recorded = dict(zip(self.pairs, self.recorded_pairs, strict=True))
        found = []
        for pair in self.broken:
            own = recorded[pair]
            if own.correlation <= -OPPOSITE and abs(np.log(-own.slope / pair.slope)) <= AS_MUCH:
                found.append(pair)
        return found

    def _is_ignored(self, pair: Pair) -> bool:
        return bool(set(pair.both) & set(self.ignored))

    @cached_property
    def range_ratios(self) -> np.ndarray:
        """log of how far features get from their middle, recorded over explored; NaN: constant."""
        sides = (self.recording, self.explored.moves)
        own, other = (moves.spread(np.median(moves.states, axis=0)) for moves in sides)
        return _log_ratio(own, other)

    @cached_property
    def change_ratios(self) -> np.ndarray:
        """log of the usual change in a step, recorded over explored."""
        found = _log_ratio(self.recording.usual_change, self.explored.moves.usual_change)
        found[list(self.ignored)] = np.nan
        return found

    @cached_property
    def start_ratios(self) -> np.ndarray:
        """log of how far starts are from 0 (or, where resets are about it, from their middle),
        recorded over explored; NaN where one of them does not move."""
        own, resets = self.recording.starts, self.explored.moves.starts
        centre = self.start_centre
        return _log_ratio(*(np.abs(x - centre).mean(axis=0) for x in (own, resets)))

    @cached_property
    def start_centre(self) -> np.ndarray:
        """From where starts are measured: 0 where resets are all far from it, else their middle."""
        resets = self.explored.moves.starts
        middle = np.median(resets, axis=0)
        return np.where(np.abs(middle) > AWAY * np.ptp(resets, axis=0), 0.0, middle)

    @cached_property
    def starts_outside(self) -> np.ndarray:
        """By how many widths of the resets' range a typical episode starts outside of it."""
        resets, own = self.explored.moves.starts, self.recording.starts
        low, high = resets.min(axis=0), resets.max(axis=0)
        usual = np.abs(self.explored.moves.states).max(axis=0) + np.ptp(
            self.explored.moves.states, axis=0
        )
        width = high - low + NOISE * usual + NOTHING
        outside = np.maximum(low - own, own - high) / width
        found = np.maximum(np.median(outside, axis=0), 0.0)
        found[list(self.ignored)] = 0.0
        return found

    @staticmethod
    def is_constant(moves: Moves) -> np.ndarray:
        """Which features never change, beyond rounding."""
        size = np.abs(moves.states).max(axis=0)
        return np.ptp(moves.states, axis=0) <= 1e-6 * size + NOTHING * NOTHING


def _log_ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    valid = (above > NOTHING) & (below > NOTHING)
    return np.log(np.divide(above, below, out=np.full(len(above), np.nan), where=valid))

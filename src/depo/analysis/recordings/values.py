"""Numbers that a recording should not have: outside the space, stuck, or twice."""

from __future__ import annotations

import numpy as np

from depo.analysis.recordings.comparison import Comparison
from depo.analysis.recordings.findings import Finding, listed, number, span, verb
from depo.analysis.recordings.moves import NOTHING, Moves
from depo.data.checked_arrays import place
from depo.data.demonstrations import Demonstrations

SLACK = 1e-4
"""Part of a bounded range, or of the bound itself, that is rounding."""
HELD = 0.05
"""Share of steps without any change from which a recording holds its states."""
OFTEN, SELDOM = 0.2, 0.5
"""Shares of explored steps: in which a feature that may rest has one value, or does not change."""
MOST = 2_000
"""States by which equal columns are told."""
COARSE, FEWEST = 0.5, 50
"""A grid's width, in usual changes of a step, from which rounding harms: it is then a 25th of a
step's square and more; and states below which no grid is looked for."""
ON_GRID = 0.02
"""How far from a grid, in its widths, values may lie that are on it."""


def find_outside(
    demos: Demonstrations, comparison: Comparison, factors: np.ndarray
) -> list[Finding]:
    """Features that leave the observation space, though divided by ``factors``, with the place of
    the worst number. Of a space that the environment does not keep to itself nothing is said."""
    low, high = comparison.explored.low, comparison.explored.high
    with np.errstate(invalid="ignore"):
        width = np.where(np.isfinite(high - low), high - low, 0.0)
    slack = SLACK * np.maximum(width, np.where(np.isfinite(low), np.abs(low), 0.0))
    shown, states = comparison.explored.moves, demos.observations / factors
    every = np.concatenate([shown.states, shown.reached])
    keeps_low, keeps_high = every.min(axis=0) >= low - slack, every.max(axis=0) <= high + slack
    over = np.maximum(
        np.where(keeps_low, low - slack - states, -np.inf),
        np.where(keeps_high, states - high - slack, -np.inf),
    )
    wrong = np.flatnonzero(over.max(axis=0) > 0)
    found = []
    for feature in wrong:
        row, share = int(over[:, feature].argmax()), float((over[:, feature] > 0).mean())
        found.append(
            Finding(
                "bounds",
                f"{place(demos.episode_lengths, row, comparison.names[feature])} is "
                f"{number(float(states[row, feature]))}, the observation space ends at "
                f"{number(low[feature])} and {number(high[feature])} ({share:.2g} of all states "
                "lie outside): other units, another feature, or a broken sensor",
                (int(feature),),
            )
        )
    return found


def find_constant(comparison: Comparison) -> list[Finding]:
    """Features that never change, though the environment's do."""
    own, other = (
        Comparison.is_constant(m) for m in (comparison.recording, comparison.explored.moves)
    )
    stuck = np.flatnonzero(own & ~other & ~_may_rest(comparison))
    if not len(stuck):
        return []
    first, features = int(stuck[0]), stuck.tolist()
    return [
        Finding(
            "constant",
            f"{listed(comparison.names, features)} never {verb(features, 'changes', 'change')} in "
            f"the recording ('{comparison.names[first]}' is "
            f"{number(comparison.recording.states[0, first])} throughout, random actions have "
            f"{span(comparison.explored.moves.states[:, first])}): was it logged?",
            tuple(features),
        )
    ]


def _may_rest(comparison: Comparison) -> np.ndarray:
    """Features that may well never change: that have this very value often under random actions, as
    forces without contact, or, in a recording of one episode, that often change between episodes
    alone, as goals and things that nobody pushes."""
    moves, value = comparison.explored.moves, comparison.recording.states[0]
    near = np.abs(moves.states - value) <= 1e-6 * np.abs(value) + NOTHING
    rests = near.mean(axis=0) >= OFTEN
    if len(comparison.recording.starts) == 1:
        rests |= (moves.change == 0).mean(axis=0) >= SELDOM
    return rests


def find_duplicates(comparison: Comparison) -> list[Finding]:
    """Features that are copies of each other, though the environment's are not."""
    stuck = Comparison.is_constant(comparison.recording) | _rests_often(comparison.recording)
    twins = _twins(comparison.recording) - _twins(comparison.explored.moves)
    return [
        Finding(
            "duplicate",
            f"{listed(comparison.names, [one, other])} are equal in every state of the recording, "
            "in the environment they differ: was a column written twice?",
            (one, other),
        )
        for one, other in sorted(twins)
        if not stuck[one]
    ]


def _rests_often(moves: Moves) -> np.ndarray:
    """Features that do not change in most steps: two of them may be equal for long."""
    return np.asarray((moves.change == 0).mean(axis=0) >= SELDOM)


def _twins(moves: Moves) -> set[tuple[int, int]]:
    """Neighbours among equal columns."""
    states = moves.states[:MOST]
    same: dict[bytes, int] = {}
    found = set()
    for feature in range(moves.features):
        key = np.ascontiguousarray(states[:, feature]).tobytes()
        if key in same:
            found.add((same[key], feature))
        same[key] = feature
    return found


def find_repeated(comparison: Comparison) -> list[Finding]:
    """States that repeat the one before, as where a slow sensor was logged too often."""
    share = float(comparison.recording.paused.mean())
    usual = float(comparison.explored.moves.paused.mean())
    if share < HELD or share < 2 * usual:
        return []
    return [
        Finding(
            "repeated",
            f"{share:.0%} of recorded states repeat the one before, {usual:.0%} of explored ones: "
            "was a slow sensor logged too often? Drop the copies",
        )
    ]


def find_rounded(comparison: Comparison) -> list[Finding]:
    """Features with so few digits that a step hardly shows, though the environment's have more."""
    own, other = comparison.recording, comparison.explored.moves
    grids = np.array([_grid(column) for column in own.states.T])
    usual = np.sqrt(np.square(own.change).mean(axis=0))
    repeats = [len(np.unique(column)) < SELDOM * len(column) for column in other.states.T]
    wrong = np.flatnonzero(
        (grids > 0) & (grids >= COARSE * usual) & (usual > 0) & ~np.array(repeats)
    )
    if not len(wrong):
        return []
    features, first = wrong.tolist(), int(wrong[np.argmax((grids / (usual + NOTHING))[wrong])])
    return [
        Finding(
            "rounded",
            f"{listed(comparison.names, features)} {verb(features, 'is', 'are')} rounded: "
            f"'{comparison.names[first]}' to multiples of {number(grids[first])}, while a step "
            f"changes it by {number(usual[first])}: log more digits",
            tuple(features),
        )
    ]


def _grid(values: np.ndarray) -> float:
    """The width of the grid that all values lie on; 0: on none, or nothing repeats."""
    found = np.unique(values)
    if len(values) < FEWEST or not 2 < len(found) < SELDOM * len(values):
        return 0.0
    width = float(np.diff(found).min())
    places = (found - found[0]) / width
    return width if bool((np.abs(places - np.round(places)) <= ON_GRID).all()) else 0.0

r"""Positions and their velocities, found from steps alone: \(s'_i - s_i ≈ k (s_j + s'_j) / 2\).

Where an environment has such a pair, k is its step's length in the units of its features. A
recording must have the same pairs with the same k, however differently its expert moves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from depo.analysis.recordings.moves import NOTHING, Moves

LEAST = 0.85
"""The correlation from which two features are taken for a pair."""
EXACT, COMPANY = 0.99, 3
"""A relation that is less exact is believed only in company of so many: one alone may be a force,
as gravity's on a pendulum's velocity, and its slope the expert's business."""
INTEGRATED = 1 - 1e-6
"""The correlation of a position with the velocity that its integrator adds to it."""
TRIMMED = 0.1
"""The share of steps, those that fit worst, that a slope does not hear: contacts, clipped
velocities."""
FEWEST = 20
"""Steps below which nothing is said of slopes."""


class Pair(NamedTuple):
    """Feature ``position`` changes in a step by ``slope`` times ``velocity``."""

    position: int
    velocity: int
    slope: float
    correlation: float
    share: float = 0.5
    """Of the velocity after the step in what the position follows, before it being the rest: a
    simulator's own integrator may take the one or the other."""

    @property
    def both(self) -> tuple[int, int]:
        """Its two features."""
        return self.position, self.velocity


def correlations(moves: Moves) -> np.ndarray:
    """Of every feature's change (rows) with every feature's mean over the step; 0 with its own."""
    change, mean = moves.change, (moves.states + moves.reached) / 2
    change, mean = change - change.mean(axis=0), mean - mean.mean(axis=0)
    size = np.sqrt(np.outer(np.square(change).sum(axis=0), np.square(mean).sum(axis=0)))
    found = np.divide(change.T @ mean, size, out=np.zeros_like(size), where=size > 0)
    np.fill_diagonal(found, 0.0)
    return found


def find_pairs(moves: Moves, least: float = LEAST) -> list[Pair]:
    """All pairs; a velocity belongs to one position."""
    if len(moves.states) < FEWEST:
        return []
    found = correlations(moves)
    pairs = []
    for position, row in enumerate(np.abs(found)):
        velocity = int(row.argmax())
        if row[velocity] >= least and np.abs(found[:, velocity]).argmax() == position:
            tried = [slope(moves, position, velocity, share) for share in (0.5, 0.0, 1.0)]
            exact = [pair for pair in tried if pair.correlation >= INTEGRATED]
            pair = (exact or tried)[0]
            if pair.slope > 0:
                pairs.append(pair)
    is_exact = any(pair.correlation >= EXACT for pair in pairs)
    return pairs if is_exact or len(pairs) >= COMPANY else []


def slope(moves: Moves, position: int, velocity: int, share: float = 0.5) -> Pair:
    """How one feature's change follows another, without the steps that fit worst.

    Numbers at the rim of a velocity's range are left out: there it may be clipped. NaN: too few
    steps are left.
    """
    v, w = moves.states[:, velocity], moves.reached[:, velocity]
    low, high = min(v.min(), w.min()), max(v.max(), w.max())
    inside = (np.minimum(v, w) > low) & (np.maximum(v, w) < high)
    change = moves.change[inside, position]
    mean = (1 - share) * v[inside] + share * w[inside]
    if inside.sum() < FEWEST:
        return Pair(position, velocity, np.nan, np.nan, share)
    if np.ptp(mean) <= NOTHING or np.ptp(change) <= NOTHING:
        return Pair(position, velocity, 0.0, 0.0, share)
    k, offset = _line(mean, change)
    error = np.abs(change - k * mean - offset)
    kept = error <= np.quantile(error, 1 - TRIMMED)
    if np.ptp(mean[kept]) <= NOTHING or np.ptp(change[kept]) <= NOTHING:
        return Pair(position, velocity, 0.0, 0.0, share)
    k, _ = _line(mean[kept], change[kept])
    correlation = float(np.corrcoef(mean[kept], change[kept])[0, 1])
    return Pair(position, velocity, k, correlation, share)


def missed(moves: Moves, pair: Pair) -> np.ndarray:
    """Of every step, what a position's change is beyond what its velocity says."""
    before, after = moves.states[:, pair.velocity], moves.reached[:, pair.velocity]
    mean = (1 - pair.share) * before + pair.share * after
    return np.asarray(moves.change[:, pair.position] - pair.slope * mean)


def _line(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Least squares: y ≈ k x + offset."""
    centred = x - x.mean()
    k = float(centred @ y / (centred @ centred))
    return k, float(y.mean() - k * x.mean())

"""Features in another order than the environment's: is there one that fits much better?"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from depo.analysis.recordings.comparison import NOISE, Comparison
from depo.analysis.recordings.findings import SHOWN, Finding
from depo.analysis.recordings.moves import NOTHING
from depo.analysis.recordings.pairs import find_pairs
from depo.analysis.recordings.units import OUTSIDE

RESOLVED = 0.25
"""The share of contradictions that an order may leave."""
MOST_SWAPPED = 10
"""Features among which every exchange of two is tried."""
LEAST = 0.75
"""The correlation from which features of a recording may be a pair."""
CAPPED, SLOPE = 4.0, 2.0
"""The most that one number's misfit (log) counts, and the weight of slopes beside ranges."""
STAY = 0.3
"""What it costs to move a feature that could as well stay."""
STARTS = 200


def contradictions(comparison: Comparison) -> set[int]:
    """Features that cannot be what the environment has there: a position that does not follow its
    velocity, a start far from all resets, a number outside the observation space."""
    wrong = {feature for pair in comparison.broken for feature in pair.both}
    wrong |= set(np.flatnonzero(comparison.starts_outside > OUTSIDE).tolist())
    states, explored = comparison.recording.states, comparison.explored
    outside = (states < explored.low - NOTHING) | (states > explored.high + NOTHING)
    return wrong | set(np.flatnonzero(outside.mean(axis=0) > 0.5).tolist())


def better_order(comparison: Comparison) -> np.ndarray | None:
    """Columns of the recording in an order that resolves most contradictions; None: no such."""
    wrong = contradictions(comparison)
    if len(wrong) < 2:
        return None
    cost = costs(comparison)
    tried = [_judged(comparison, columns, cost) for columns in _candidates(comparison, wrong, cost)]
    left, _, columns = min(tried, key=lambda judged: judged[:2])
    return columns if left <= RESOLVED * len(wrong) else None


def _candidates(comparison: Comparison, wrong: set[int], cost: np.ndarray) -> list[np.ndarray]:
    """Every exchange of two features, where few are wrong, and the best order of all."""
    found = [_assignment(comparison, cost)]
    for one, other in combinations(sorted(wrong), 2) if len(wrong) <= MOST_SWAPPED else ():
        columns = np.arange(comparison.recording.features)
        columns[[one, other]] = other, one
        found.append(columns)
    return found


def _judged(
    comparison: Comparison, columns: np.ndarray, cost: np.ndarray
) -> tuple[int, float, np.ndarray]:
    """How many contradictions an order leaves, and its cost."""
    found = comparison.corrected(columns)
    slopes = np.nan_to_num(np.abs(found.pair_ratios), nan=CAPPED)
    total = cost[np.arange(len(cost)), columns].sum() + SLOPE * np.minimum(slopes, CAPPED).sum()
    return len(contradictions(found)), float(total), columns


def _assignment(comparison: Comparison, cost: np.ndarray) -> np.ndarray:
    """The order of least cost: pairs to pairs first, then what is left."""
    from scipy.optimize import linear_sum_assignment

    columns = np.full(len(cost), -1)
    ours, theirs = comparison.pairs, find_pairs(comparison.recording, LEAST)
    if ours and theirs:
        of_pairs = np.array(
            [
                [
                    cost[p.position, q.position]
                    + cost[p.velocity, q.velocity]
                    + SLOPE * min(abs(np.log(q.slope / p.slope)), CAPPED)
                    for q in theirs
                ]
                for p in ours
            ]
        )
        for i, k in zip(*linear_sum_assignment(of_pairs), strict=True):
            columns[ours[i].position] = theirs[k].position
            if theirs[k].velocity not in columns:
                columns[ours[i].velocity] = theirs[k].velocity
    open_, free = np.flatnonzero(columns < 0), np.setdiff1d(np.arange(len(cost)), columns)
    rows, chosen = linear_sum_assignment(cost[np.ix_(open_, free)])
    columns[open_[rows]] = free[chosen]
    return columns


def costs(comparison: Comparison) -> np.ndarray:
    """How badly every column of the recording (columns) fits every feature of the environment."""
    own, other = comparison.recording, comparison.explored.moves
    parts = [
        (moves.spread(np.median(moves.states, axis=0)), moves.usual_change)
        for moves in (own, other)
    ]
    spreads = [np.log(np.maximum(side, NOTHING)) for pair in parts for side in pair]
    ranges = np.abs(spreads[2][:, None] - spreads[0][None, :])
    changes = np.abs(spreads[3][:, None] - spreads[1][None, :])
    resets, starts = other.starts, own.starts[:STARTS]
    low, high = resets.min(axis=0), resets.max(axis=0)
    width = high - low + NOISE * np.ptp(other.states, axis=0) + NOTHING
    begun_at = starts.T[None]
    outside = np.maximum(low[:, None, None] - begun_at, begun_at - high[:, None, None])
    outside = outside / width[:, None, None]
    begun = np.minimum(np.maximum(np.median(outside, axis=2), 0), CAPPED)
    total = 0.5 * np.minimum(ranges, CAPPED) + 0.5 * np.minimum(changes, CAPPED) + begun
    return total - STAY * np.eye(len(total))


def find_order(comparison: Comparison, columns: np.ndarray) -> list[Finding]:
    """The sentence for an order that fits better."""
    moved = np.flatnonzero(columns != np.arange(len(columns)))
    names = comparison.names
    if len(moved) == 2:
        one, other = (names[i] for i in moved)
        said = f"'{one}' and '{other}' are exchanged"
    else:
        examples = [f"column {columns[i]} in the place of '{names[i]}'" for i in moved[:SHOWN]]
        more = f" and {len(moved) - SHOWN} more" if len(moved) > SHOWN else ""
        said = (
            f"features are in another order: {', '.join(examples)}{more} would fit, counted from 0"
        )
    evidence = f"{len(contradictions(comparison))} features contradict the environment as they are"
    return [
        Finding(
            "order",
            f"{said} ({evidence}, {len(contradictions(comparison.corrected(columns)))} in that "
            "order): put the columns in the environment's order",
            tuple(int(i) for i in moved),
        )
    ]

"""Features in other units than the environment's, told by their pairs, starts and ranges."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from depo.analysis.recordings.comparison import Comparison
from depo.analysis.recordings.findings import Finding, listed, span, times, verb
from depo.analysis.recordings.pairs import Pair
from depo.analysis.recordings.step_size import ALIKE, IMPLAUSIBLE, common_ratio

KNOWN = {
    1_000.0: "millimetres where the environment has metres?",
    1 / 1_000.0: "metres where the environment has millimetres?",
    100.0: "centimetres where the environment has metres?",
    1 / 100.0: "metres where the environment has centimetres?",
    180.0 / np.pi: "degrees where the environment has radians?",
    np.pi / 180.0: "radians where the environment has degrees?",
}
NEAR_PAIR, NEAR_START = float(np.log(1.35)), float(np.log(2.0))
"""How near a unit's factor must be that is told by slopes, and by starts."""
FURTHER = 1.5
"""How much further out than all resets, in the unit that is guessed, a start may lie."""
EPISODES = 8
"""Starts from which it is no accident that all lie on one side."""
PER_STEP = float(np.log(1.05))
"""How near to the seconds of a step a factor must be to be that."""
APART = float(np.log(8.0))
"""A pair whose ratio differs by this factor from the others' has a unit of its own."""
FAR = float(np.log(20.0))
"""Starts that differ by less are no unit."""
NATURAL = float(np.log(20.0))
"""How much further, or less far, an expert gets than random actions."""
ABSURD = float(np.log(100.0))
"""A range this much larger needs no other evidence."""
OUTSIDE = 1.0
"""Widths of the resets' range by which a start may miss it."""


def unit_factors(comparison: Comparison) -> np.ndarray:
    """How many times too large every recorded feature is; 1 where nothing is wrong."""
    factors = np.ones(comparison.recording.features)
    _by_pairs(comparison, factors)
    _by_starts(comparison, factors)
    _by_ranges(comparison, factors)
    return factors


def _by_pairs(comparison: Comparison, factors: np.ndarray) -> None:
    """Positions whose change is not what their velocities say: one side has another unit. Pairs
    with the same ratio are taken together."""
    ratios = comparison.pair_ratios
    common = common_ratio(ratios, comparison.pair_weights)
    usual = common if abs(common) < IMPLAUSIBLE else 0.0
    own = ratios - usual
    left = np.isfinite(own) & (np.abs(own) >= APART)
    while left.any():
        first = own[np.flatnonzero(left)[0]]
        group = np.flatnonzero(left & (np.abs(own - first) <= ALIKE))
        left[group] = False
        _decide(
            comparison, [comparison.pairs[i] for i in group], float(np.median(own[group])), factors
        )


def _decide(comparison: Comparison, pairs: list[Pair], ratio: float, factors: np.ndarray) -> None:
    """Which side of some pairs has the other unit: the one that starts and ranges speak for."""
    positions, velocities = [p.position for p in pairs], [p.velocity for p in pairs]
    as_positions = _surprise(comparison, positions, ratio) + _surprise(comparison, velocities, 0.0)
    as_velocities = _surprise(comparison, positions, 0.0) + _surprise(
        comparison, velocities, -ratio
    )
    if as_positions <= as_velocities:
        factors[positions] = _rounded(ratio, NEAR_PAIR)
    else:
        seconds = comparison.explored.seconds
        is_per_step = seconds is not None and abs(ratio + np.log(seconds)) <= PER_STEP
        own = seconds if seconds is not None and is_per_step else _rounded(-ratio, NEAR_PAIR)
        factors[velocities] = own


def _surprise(comparison: Comparison, features: list[int], factor: float) -> float:
    """How badly a factor (log) explains starts and ranges of some features."""
    evidence = np.stack([comparison.start_ratios[features], comparison.range_ratios[features]])
    return float(np.nansum(np.minimum(np.abs(evidence - factor), 2 * NATURAL)))


def _by_starts(comparison: Comparison, factors: np.ndarray) -> None:
    """Features that begin as resets do, but for the factor of one unit: position and velocity in
    degrees keep their slope. What begins in the middle of a motion has no such factor."""
    ratios = comparison.start_ratios
    strange = (comparison.starts_outside > OUTSIDE) & (factors == 1) & (np.abs(ratios) > FAR)
    strange &= ~_one_sided(comparison)
    if not strange.any():
        return
    factor = _rounded(float(np.median(ratios[strange])), NEAR_START)
    known = factor in KNOWN and _like_resets(comparison, strange, factor)
    if not known or not _is_plausible(comparison, strange, factor):
        return
    chosen = strange & (np.abs(ratios - np.log(factor)) <= APART)
    factors[chosen] = factor
    for pair, ratio in zip(comparison.pairs, comparison.pair_ratios, strict=True):
        if abs(ratio) < APART and chosen[list(pair.both)].any():
            factors[list(pair.both)] = factor


def _one_sided(comparison: Comparison) -> np.ndarray:
    """Features that begin on one side of the resets' middle in every one of many episodes."""
    starts, middle = (
        comparison.recording.starts,
        np.median(comparison.explored.moves.starts, axis=0),
    )
    above = (starts > middle).mean(axis=0)
    about_middle = comparison.start_centre == middle
    return about_middle & (len(starts) >= EPISODES) & ((above == 0) | (above == 1))


def _like_resets(comparison: Comparison, features: np.ndarray, factor: float) -> bool:
    """Whether starts, divided by a factor, are spread as resets are: none much further out."""
    centre, resets = (
        comparison.start_centre[features],
        comparison.explored.moves.starts[:, features],
    )
    reach = np.abs(resets - centre).max(axis=0)
    share = np.abs(comparison.recording.starts[:, features] - centre) / (factor * reach)
    return bool(np.quantile(share, 0.95) <= FURTHER)


def _is_plausible(comparison: Comparison, features: np.ndarray, factor: float) -> bool:
    """Whether ranges speak for a factor, too; those of an expert that holds still do not, then most
    other features must begin as resets do."""
    ranges = comparison.range_ratios[features]
    ranges = ranges[np.isfinite(ranges)]
    better = np.abs(ranges - np.log(factor)).sum() < np.abs(ranges).sum()
    return bool(better or 3 * (comparison.starts_outside <= OUTSIDE).sum() >= 2 * len(features))


def _by_ranges(comparison: Comparison, factors: np.ndarray) -> None:
    """A range beyond all reason, of a feature whose velocity does not contradict."""
    agreeing = {
        feature
        for pair, ratio in zip(comparison.pairs, comparison.pair_ratios, strict=True)
        for feature in pair.both
        if abs(ratio) < APART
    }
    for feature in np.flatnonzero((comparison.range_ratios > ABSURD) & (factors == 1)):
        if feature not in agreeing:
            factors[feature] = _rounded(comparison.range_ratios[feature], APART)


def _rounded(ratio: float, near: float) -> float:
    """The known factor that is near, else the ratio itself."""
    best = min(KNOWN, key=lambda factor: abs(np.log(factor) - ratio))
    return best if abs(np.log(best) - ratio) <= near else float(f"{np.exp(ratio):.2g}")


def find_units(comparison: Comparison, factors: np.ndarray) -> list[Finding]:
    """A sentence for every factor."""
    groups: dict[float, list[int]] = defaultdict(list)
    for feature in np.flatnonzero(factors != 1):
        groups[float(factors[feature])].append(int(feature))
    return [_sentence(comparison, factor, features) for factor, features in groups.items()]


def _sentence(comparison: Comparison, factor: float, features: list[int]) -> Finding:
    first, names = features[0], comparison.names
    recorded, explored = comparison.recording.states, comparison.explored.moves.states
    guess = KNOWN.get(factor, "another unit?")
    if factor == comparison.explored.seconds:
        guess = "changes in a step where the environment has velocities?"
    return Finding(
        "units",
        f"{listed(names, features)} {verb(features, 'is', 'are')} about {times(factor)} as in the "
        f"environment ('{names[first]}' is {span(recorded[:, first])}, random actions have "
        f"{span(explored[:, first])}): {guess}",
        tuple(features),
    )

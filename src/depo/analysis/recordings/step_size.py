"""Whether consecutive states of a recording are one step of the environment apart."""

from __future__ import annotations

import numpy as np

from depo.analysis.recordings.comparison import Comparison
from depo.analysis.recordings.findings import Finding, number
from depo.analysis.recordings.moves import NOTHING
from depo.analysis.recordings.pairs import EXACT
from depo.analysis.recordings.products import ratios as product_ratios

ALIKE = float(np.log(1.5))
"""Two pairs' ratios within this factor say the same; experts' own differ by up to 1.4."""
TOLERATED = float(np.log(1.25))
"""A step's length may differ by this factor: older recordings and coarse steps do by 1.1."""
IMPLAUSIBLE = float(np.log(15.0))
"""Nobody records this many times too fast or too slowly: such a ratio is a unit."""
FOUND = "resample it: 'depo demos import' does, or set the environment's frame skip to match"


def common_ratio(ratios: np.ndarray, weights: np.ndarray | None = None) -> float:
    """The log of the ratio that most pairs share, the nearest to 0 of several; NaN without any.

    >>> round(common_ratio(np.log([0.4, 0.41, 1000.0, 0.39])), 2)
    -0.92
    """
    valid = np.isfinite(ratios)
    known = ratios[valid]
    if not len(known):
        return np.nan
    alike = np.abs(known[:, None] - known[None, :]) <= ALIKE
    most = alike @ (np.ones(len(known)) if weights is None else weights[valid])
    best = np.flatnonzero(most >= most.max() - NOTHING)
    chosen = min(best, key=lambda i: abs(known[i]))
    return float(np.median(known[alike[chosen]]))


def step_ratio(comparison: Comparison) -> float:
    """How many steps of the environment lie between consecutive states; 1 where nothing is wrong
    or nothing can be said."""
    ratios, weights = evidence(comparison)
    common = common_ratio(ratios, weights)
    if not TOLERATED < abs(common) < IMPLAUSIBLE:
        return 1.0
    supporters = np.abs(ratios - common) <= ALIKE
    if 2 * supporters @ weights < weights.sum() or _is_contradicted(comparison, supporters):
        return 1.0
    return float(np.exp(common))


def _is_contradicted(comparison: Comparison, supporters: np.ndarray) -> bool:
    """Whether one of them is an exact pair that finds nothing wrong by itself: what a heading adds
    to a position depends on the speed, which is the expert's business."""
    exact = [pair.correlation >= EXACT for pair in comparison.pairs] or [False] * len(supporters)
    fine = np.abs(evidence(comparison)[0]) <= TOLERATED
    return bool(np.any(supporters & np.array(exact) & fine))


def evidence(comparison: Comparison) -> tuple[np.ndarray, np.ndarray]:
    """log of recorded over explored slopes and their weights: of positions and velocities, or of
    sines and cosines where there are none."""
    if comparison.pairs:
        return comparison.pair_ratios, comparison.pair_weights
    return product_ratios(comparison.recording, comparison.explored.moves)


def find_step_size(comparison: Comparison) -> list[Finding]:
    """One sentence where it is another."""
    ratio = step_ratio(comparison)
    if ratio == 1.0:
        return []
    ratios, _ = evidence(comparison)
    supporters = int((np.abs(ratios - np.log(ratio)) <= ALIKE).sum())
    what = "pairs of position and velocity" if comparison.pairs else "products of features"
    pairs = f"{supporters} of {len(ratios)} {what} say so"
    seconds = comparison.explored.seconds
    rates = ""
    if seconds is not None:
        own = 1.0 / seconds
        recorded = number(float(f"{own / ratio:.2g}"))
        rates = f", as of a recording at some {recorded} Hz in an environment of {number(own)} Hz"
    return [
        Finding(
            "step size",
            f"consecutive states are about {float(f'{ratio:.2g}'):g} steps of the environment apart"
            f"{rates} ({pairs}): {FOUND}",
        )
    ]

"""Statistics over few seeds: interquartile means, bootstrap intervals, first crossings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

ENOUGH_SEEDS = 5
RESAMPLES = 5_000


def iqm(values: Sequence[float] | np.ndarray, axis: int = -1) -> Any:
    """The mean of the middle half.

    >>> float(iqm([0.0, 1.0, 1.0, 1.0, 100.0]))
    1.0
    """
    ordered = np.sort(np.asarray(values, float), axis=axis)
    cut = ordered.shape[axis] // 4
    kept = np.take(ordered, np.arange(cut, ordered.shape[axis] - cut), axis=axis)
    broken = np.isnan(ordered).any(axis=axis)  # sorted last and cut off, NaN would pass unseen
    return np.where(broken, np.nan, kept.mean(axis=axis))[()]


def interval(
    values: Sequence[float] | np.ndarray, statistic: str = "iqm", level: float = 0.95
) -> tuple[float, float] | None:
    """Percentile bootstrap over seeds; none below five, where every seed should be shown.

    >>> interval([1.0, 1.0]) is None
    True
    """
    values = np.asarray(values, float)
    if len(values) < ENOUGH_SEEDS:
        return None
    draws = np.random.default_rng(0).integers(len(values), size=(RESAMPLES, len(values)))
    resampled = np.sort(STATISTICS[statistic](values[draws], axis=-1))
    tail = (1.0 - level) / 2
    low = resampled[int(tail * (RESAMPLES - 1))]  # by rank: values may be infinite
    return float(low), float(resampled[int((1 - tail) * (RESAMPLES - 1))])


def bound(values: Sequence[float] | np.ndarray, end: int) -> float:
    """One end of the 95% interval of the interquartile mean; NaN below five seeds.

    >>> bound([1.0, 1.0, 1.0, 1.0, 1.0], 0)
    1.0
    """
    bounds = interval(values)
    return float("nan") if bounds is None else bounds[end]


BOUNDS: dict[str, Callable[..., Any]] = {
    "low": partial(bound, end=0),
    "high": partial(bound, end=1),
}
STATISTICS: dict[str, Callable[..., Any]] = {
    "iqm": iqm,
    "mean": np.mean,
    "median": np.median,
    "min": np.min,
    "max": np.max,
    **BOUNDS,
}


def at_best(values: np.ndarray, criterion: np.ndarray) -> np.ndarray:
    """The values (evaluations, seeds) where a seed's criterion is highest; the first of equals.

    >>> at_best(np.array([[1.0], [2.0], [3.0]]), np.array([[0.1], [0.9], [0.9]])).tolist()
    [2.0]
    """
    best = np.argmax(criterion, axis=0)
    return values[best, np.arange(values.shape[1])]


def first_crossing(
    steps: Sequence[float] | np.ndarray, scores: Sequence[float] | np.ndarray, threshold: float
) -> float:
    """The first step at which the score reaches the threshold; infinite if it never does.

    >>> first_crossing([10, 20, 30], [0.1, 0.95, 0.2], 0.9)
    20.0
    """
    reached = np.flatnonzero(np.asarray(scores) >= threshold)
    return float(np.asarray(steps)[reached[0]]) if len(reached) else float("inf")


def relative_score(value: float, random: float, expert: float) -> float:
    """A score on the scale of a random policy (0) to the expert (1); NaN where they are equal.

    Rewards may be negative: it is the distance from random that counts, not the ratio of returns.

    >>> relative_score(-200.0, random=-1200.0, expert=-150.0), relative_score(1.0, 2.0, 2.0)
    (0.9523809523809523, nan)
    """
    return (value - random) / (expert - random) if expert != random else float("nan")


def mean_scores(by_variant: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The average over variants of every score they share; the return also of each.

    >>> mean_scores({"normal": {"return": 1.0}, "truck": {"return": 0.5}})
    {'return': 0.75, 'return_normal': 1.0, 'return_truck': 0.5}
    """
    first, *rest = by_variant.values()
    shared = [name for name in first if all(name in other for other in rest)]
    mean = {name: float(np.mean([s[name] for s in by_variant.values()])) for name in shared}
    main = next(name for name in ("return", "success") if name in shared)
    return mean | {f"{main}_{name}": float(own[main]) for name, own in by_variant.items()}

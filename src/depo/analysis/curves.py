"""Learning curves of a run as numbers: what figures, reports and the terminal draw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from depo.evaluation.statistics import ENOUGH_SEEDS, interval, iqm
from depo.runs.run import Run


def curve(run: Run, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """Environment steps, and the metric as (steps, seeds); an evaluation of which a running run
    has not yet written all seeds is left out."""
    return curve_of(run.metrics(), metric)


def curve_of(
    every_row: Iterable[Mapping[str, float]], metric: str
) -> tuple[np.ndarray, np.ndarray]:
    """The same of rows as metrics.csv has them."""
    rows = [row for row in every_row if metric in row]
    every, counts = np.unique([row["env_steps"] for row in rows], return_counts=True)
    seeds = sorted({row["seed"] for row in rows})
    steps = every[counts == len(seeds)]
    values = {(row["env_steps"], row["seed"]): row[metric] for row in rows}
    return steps, np.array([[values[s, seed] for seed in seeds] for s in steps])


class Band(NamedTuple):
    """A curve over seeds: its middle, and what lies around it."""

    middle: np.ndarray
    low: np.ndarray
    high: np.ndarray
    said: str
    """What they are, for a legend."""


def band(values: np.ndarray) -> Band:
    """Interquartile mean and its 95% interval from five seeds on; below, the mean and all seeds.

    >>> band(np.array([[0.0, 1.0], [2.0, 4.0]])).middle.tolist()
    [0.5, 3.0]
    """
    if values.shape[1] >= ENOUGH_SEEDS:
        low, high = np.array([interval(row) for row in values]).T
        return Band(iqm(values), low, high, "interquartile mean and its 95% interval")
    said = "the one seed" if values.shape[1] == 1 else "mean, least and greatest seed"
    with np.errstate(over="ignore"):  # the mean of what has no sum is infinite
        return Band(values.mean(axis=1), values.min(axis=1), values.max(axis=1), said)

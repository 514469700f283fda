"""How far apart an agent's states are from a recording's, where no reward says it.

Two numbers. A **classifier two-sample test**: a small classifier learns to tell transitions of the
agent from those of the recording, and is scored on episodes that it has not seen; 0.5 is chance.
And a **Wasserstein distance** of every feature, in standard deviations of the recording. Whole
episodes are held out, as neighbouring states are no independent samples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from depo.core.errors import DepoError
from depo.evaluation.densities import wasserstein

FOLDS = 4
"""Parts of the episodes, each held out once."""
ROWS = 2_000
"""Transitions of either side that are looked at."""
WAVES = 64
"""Random Fourier features of the classifier, beside the features themselves and their squares."""
PENALTY = 10.0
"""Of large weights: states of one episode lie together, and a free classifier learns episodes."""
ITERATIONS = 12
RESAMPLES = 1_000
SMALLEST = 1e-6
"""A deviation below which a feature does not move."""


@dataclass(frozen=True)
class OccupancyDistance:
    """How well agent and recording can be told apart, and in which features."""

    accuracy: float
    """Held-out balanced accuracy of the classifier; 0.5: nobody can tell them apart."""
    low: float
    high: float
    """Its 95% interval over episodes."""
    features: tuple[str, ...]
    distance: tuple[float, ...]
    """Wasserstein distance of every feature, in deviations of the recording."""
    floor: tuple[float, ...]
    """The same between two halves of the recording: nobody comes closer, but by chance."""
    agent_episodes: int
    expert_episodes: int


def occupancy_distance(
    agent: Sequence[np.ndarray], expert: Sequence[np.ndarray], names: Sequence[str] = ()
) -> OccupancyDistance:
    """Compare episodes (time, features) of an agent with recorded ones.

    >>> draw = np.random.default_rng(0)
    >>> alike = [draw.normal(size=(100, 2)) for _ in range(8)]
    >>> far = [draw.normal(3.0, size=(100, 2)) for _ in range(4)]
    >>> occupancy_distance(alike[:4], alike[4:]).accuracy < 0.6
    True
    >>> occupancy_distance(far, alike[4:]).accuracy > 0.95
    True
    """
    for whose, episodes in (("agent", agent), ("recording", expert)):
        if not episodes or any(len(episode) < 2 for episode in episodes):
            raise DepoError(f"the {whose} has no episode of two states: nothing can be compared")
    draw = np.random.default_rng(0)
    sides = [_blocks(episodes) for episodes in (agent, expert)]
    mean, deviation = _statistics(expert)
    rows = [[_moves(block, mean, deviation) for block in blocks] for blocks in sides]
    hits = _held_out_hits(rows, draw)
    low, high = _interval(hits, draw)
    a, e = (np.concatenate(list(episodes)) for episodes in (agent, expert))
    halves = [np.concatenate(sides[1][i::2]) for i in (0, 1)]
    columns = range(a.shape[1])
    return OccupancyDistance(
        accuracy=float(np.mean([np.mean(own) for own in hits])),
        low=low,
        high=high,
        features=tuple(names) or tuple(f"s{i}" for i in columns),
        distance=tuple(wasserstein(a[:, i], e[:, i]) / deviation[i] for i in columns),
        floor=tuple(wasserstein(halves[0][:, i], halves[1][:, i]) / deviation[i] for i in columns),
        agent_episodes=len(agent),
        expert_episodes=len(expert),
    )


def _statistics(episodes: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and deviation of the recording; what does not move in it counts in its own unit."""
    rows = np.concatenate(list(episodes)).astype(np.float64)
    deviation = rows.std(axis=0)
    return rows.mean(axis=0), np.where(deviation > SMALLEST, deviation, 1.0)


def _blocks(episodes: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Whole episodes; where there are fewer than folds, cut into pieces of the same length."""
    pieces = -(-FOLDS // len(episodes))
    cut = [part for episode in episodes for part in np.array_split(episode, pieces)]
    return [part for part in cut if len(part) >= 2] or list(episodes)


def _moves(block: np.ndarray, mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """(s, s' − s), standardised: what the classifier sees."""
    states = (block.astype(np.float64) - mean) / deviation
    return np.concatenate([states[:-1], np.diff(states, axis=0)], axis=1)


def _held_out_hits(
    sides: Sequence[Sequence[np.ndarray]], draw: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Of every block of the agent, and of the recording: the share of its transitions that a
    classifier gets right which was fitted to other blocks."""
    thinned = [[_thinned(block, ROWS // len(blocks), draw) for block in blocks] for blocks in sides]
    fold = [np.arange(len(blocks)) % FOLDS for blocks in thinned]
    hits = tuple(np.full(len(blocks), np.nan) for blocks in thinned)
    for number in range(FOLDS):
        train = [
            np.concatenate([b for b, f in zip(blocks, own, strict=True) if f != number])
            for blocks, own in zip(thinned, fold, strict=True)
        ]
        classify = _fitted(train[0], train[1], draw)
        for label, blocks in enumerate(thinned):
            for i in np.flatnonzero(fold[label] == number):
                hits[label][i] = np.mean((classify(blocks[i]) > 0) == bool(label))
    return hits  # type: ignore[return-value]


def _thinned(block: np.ndarray, most: int, draw: np.random.Generator) -> np.ndarray:
    if len(block) <= max(most, 1):
        return block
    return block[np.sort(draw.choice(len(block), max(most, 1), replace=False))]


def _fitted(
    agent: np.ndarray, expert: np.ndarray, draw: np.random.Generator
) -> Callable[[np.ndarray], np.ndarray]:
    """Logistic regression on the features, their squares and random Fourier features, both sides
    of the same weight, by Newton's method; positive where it says 'recording'."""
    rows = np.concatenate([agent, expert])
    label = np.repeat([0.0, 1.0], [len(agent), len(expert)])
    weight = np.where(label == 1.0, 0.5 / len(expert), 0.5 / len(agent))
    centre, scale = rows.mean(axis=0), np.maximum(rows.std(axis=0), SMALLEST)
    # with unit features a distance between two rows is about √(2d): the width of the kernel
    frequency = draw.normal(size=(rows.shape[1], WAVES)) / np.sqrt(rows.shape[1])
    phase = draw.uniform(0.0, 2 * np.pi, WAVES)

    def lifted(x: np.ndarray) -> np.ndarray:
        z = np.clip((x - centre) / scale, -10.0, 10.0)
        waves = np.cos(z @ frequency + phase)
        return np.concatenate([z, z**2, waves, np.ones((len(z), 1))], axis=1)

    basis = lifted(rows)
    theta = np.zeros(basis.shape[1])
    ridge = PENALTY * np.eye(len(theta)) / len(theta)
    for _ in range(ITERATIONS):
        p = 1.0 / (1.0 + np.exp(-np.clip(basis @ theta, -30.0, 30.0)))
        gradient = basis.T @ (weight * (p - label)) + ridge @ theta
        curvature = (basis * (weight * p * (1.0 - p))[:, None]).T @ basis + ridge
        theta -= np.linalg.solve(curvature, gradient)
    return lambda x: lifted(x) @ theta


def _interval(
    hits: tuple[np.ndarray, np.ndarray], draw: np.random.Generator
) -> tuple[float, float]:
    """Percentile bootstrap over the blocks of both sides."""
    means = np.mean(
        [own[draw.integers(len(own), size=(RESAMPLES, len(own)))].mean(axis=1) for own in hits],
        axis=0,
    )
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)

"""How far apart two sets of samples are: densities on the road, and distributions of one number."""

from __future__ import annotations

import numpy as np

CELLS = (200, 60)
"""Cells of the grid along and across the road."""
FLOOR = 1e-3
"""Share of a uniform density in every estimate: no place is impossible, so the divergence is
finite."""


def road_divergence(
    agent: np.ndarray,
    expert: np.ndarray,
    area: tuple[tuple[float, float], tuple[float, float]],
    bandwidth: tuple[float, float] = (3.0, 0.3),
) -> float:
    """KL(agent‖expert) of positions (n, 2) on an area, in nats.

    Both densities are Gaussian kernel estimates on the same grid, with deviations ``bandwidth``
    (m), positions outside left out, normalised over the area.

    >>> place = np.random.default_rng(0).normal((50, 10), (10, 2), (5000, 2))
    >>> road_divergence(place, place, ((0, 100), (0, 20)))
    0.0
    """
    p, q = (_on_area(positions, area, bandwidth) for positions in (agent, expert))
    return float(np.sum(p * np.log(p / q)))


def authors_divergence(
    agent: np.ndarray, expert: np.ndarray, mean: np.ndarray, deviation: np.ndarray
) -> float:
    """The number the authors' script computes; not a divergence, kept for comparison.

    Kernel densities (bandwidth 0.01) of standardised positions at 100×100 points of [0,1)², not
    normalised there, 10⁻⁴ added to each; Σ p·log(p/q)/100.
    """
    points = np.arange(100) / 100

    def density(positions: np.ndarray) -> np.ndarray:
        z = (positions - mean) / np.maximum(deviation, 1e-6)  # all may be in the same place
        along, across = (_kernel(points, z[:, axis], 0.01) for axis in (0, 1))
        return along @ across.T / len(z) + 1e-4

    p, q = density(agent), density(expert)
    return float(np.sum(p * np.log(p / q)) / 100)


def wasserstein(one: np.ndarray, other: np.ndarray) -> float:
    """Mean distance between the quantiles of two samples, in their own unit (W₁).

    >>> wasserstein(np.array([0.0, 1.0]), np.array([2.0, 3.0, 2.0, 3.0]))
    2.0
    """
    if not len(one) or not len(other):
        return float("nan")
    every = np.sort(np.concatenate([one, other]))
    shares = [
        np.searchsorted(np.sort(sample), every[:-1], side="right") / len(sample)
        for sample in (one, other)
    ]
    return float(np.sum(np.abs(shares[0] - shares[1]) * np.diff(every)))


def _on_area(
    positions: np.ndarray,
    area: tuple[tuple[float, float], tuple[float, float]],
    bandwidth: tuple[float, float],
) -> np.ndarray:
    """Probabilities of the cells of an area."""
    counts = np.histogram2d(positions[:, 0], positions[:, 1], CELLS, area)[0]
    for axis, ((low, high), width) in enumerate(zip(area, bandwidth, strict=True)):
        edges = np.linspace(low, high, CELLS[axis] + 1)
        centres = (edges[1:] + edges[:-1]) / 2
        kernel = _kernel(centres, centres, width)
        counts = np.tensordot(kernel / kernel.sum(axis=0), counts, (1, axis))
        counts = np.moveaxis(counts, 0, axis)
    total = counts.sum()
    smooth = counts / total if total else np.full(CELLS, 1 / counts.size)
    return (1 - FLOOR) * smooth + FLOOR / counts.size


def _kernel(at: np.ndarray, centres: np.ndarray, width: float) -> np.ndarray:
    """Gaussian densities of every centre at every point."""
    z = (at[:, None] - centres) / width
    return np.exp(-0.5 * z**2) / (np.sqrt(2 * np.pi) * width)

"""The region of visited transitions, and whether a planned one lies in it.

The standardised difference s'−s is regressed linearly on the standardised state; what is left over
has a covariance, and a transition's distance is the Mahalanobis length of its left-over. The limit
is the 99.9% quantile of the visited transitions' own distances, so one real transition in a
thousand counts as outside. Directions in which the body cannot move from a state have almost no
spread, and a plan that moves there is far away at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

QUANTILE = 0.999
RIDGE = 1e-6


@dataclass(frozen=True, eq=False)
class VisitedRegion:
    """A linear model of visited differences with the spread around it."""

    weights: np.ndarray
    whitening: np.ndarray
    limit: float

    @classmethod
    def of(cls, state: np.ndarray, change: np.ndarray) -> VisitedRegion:
        """Fitted to standardised states and differences (rows, features).

        >>> rng = np.random.default_rng(0)
        >>> region = VisitedRegion.of(rng.normal(size=(999, 2)), rng.uniform(-1, 1, (999, 2)))
        >>> region.outside(np.zeros((2, 2)), np.array([[0.5, 0.5], [5.0, 0.0]])).tolist()
        [False, True]
        """
        inputs = _with_one(np.asarray(state, float))
        change = np.asarray(change, float)
        gram = inputs.T @ inputs + RIDGE * len(inputs) * np.eye(inputs.shape[1])
        weights = np.linalg.solve(gram, inputs.T @ change)
        rest = change - inputs @ weights
        values, vectors = np.linalg.eigh(rest.T @ rest / len(rest))
        floor = RIDGE * max(float(values.max()), RIDGE)
        whitening = vectors / np.sqrt(np.maximum(values, floor))
        lengths = np.linalg.norm(rest @ whitening, axis=1)
        return cls(weights, whitening, float(np.quantile(lengths, QUANTILE)))

    def distance(self, state: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Mahalanobis length of what the linear model leaves over."""
        rest = np.asarray(change, float) - _with_one(np.asarray(state, float)) @ self.weights
        return np.linalg.norm(rest @ self.whitening, axis=1)

    def outside(self, state: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Whether each transition is beyond the limit."""
        return self.distance(state, change) > self.limit


def _with_one(state: np.ndarray) -> np.ndarray:
    return np.concatenate([state, np.ones((len(state), 1))], axis=1)

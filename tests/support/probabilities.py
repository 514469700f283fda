"""Random probabilities."""

from __future__ import annotations

import numpy as np


def simplex(generator: np.random.Generator, *shape: int, zeros: float = 0.0) -> np.ndarray:
    """Random distributions over the last axis; ``zeros`` of their entries are zero."""
    weights = generator.exponential(size=shape)
    weights *= generator.random(shape) >= zeros
    weights[..., 0] += weights.sum(axis=-1) == 0
    return weights / weights.sum(axis=-1, keepdims=True)

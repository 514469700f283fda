"""Recorded actions of a ``Box`` as networks see them, in [−1,1]."""

from __future__ import annotations

import numpy as np

from depo.core.errors import DepoError

MOST_OUTSIDE = 0.5
"""Share of actions beyond the bounds at which they seem to be of other units."""


def in_unit_box(
    actions: np.ndarray, low: np.ndarray, high: np.ndarray, environment: str
) -> np.ndarray:
    """Actions (rows, length) between bounds as numbers in [−1,1]; those beyond are cut off, as the
    environment would, unless most are.

    >>> in_unit_box(np.array([[0.0], [3.0], [4.0]]), np.array([0.0]), np.array([4.0]), "Mine-v0")
    array([[-1. ],
           [ 0.5],
           [ 1. ]], dtype=float32)
    """
    if actions.shape[1] != len(low):
        raise DepoError(
            f"recorded actions have {actions.shape[1]} numbers, those of {environment} have "
            f"{len(low)}: pass --demos recorded there"
        )
    unit = 2.0 * (actions.astype(np.float64) - low) / (high - low) - 1.0
    outside = float((np.abs(unit) > 1.0 + 1e-4).any(axis=1).mean())
    if outside > MOST_OUTSIDE:
        worst = np.unravel_index(int(np.abs(unit).argmax()), unit.shape)
        raise DepoError(
            f"{outside:.0%} of the recorded actions are beyond the bounds of {environment}: "
            f"{actions[worst]:.3g}, where {low[worst[1]]:.3g} to {high[worst[1]]:.3g} can be, "
            "so are they of other units?"
        )
    return np.clip(unit, -1.0, 1.0).astype(np.float32)

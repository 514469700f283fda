"""Actions of a ``Box`` as networks see them, in [−1,1]: which can be, and recorded ones."""

from __future__ import annotations

import numpy as np
from gymnasium.spaces import Box

from depo.core.errors import DepoError

MOST_OUTSIDE = 0.5
"""Share of actions beyond the bounds at which they seem to be of other units."""
NO_BOUND = 1e30
"""A number so large means "no bound" where somebody could not write infinity."""


def can_be_scaled(actions: Box) -> bool:
    """Whether actions are real numbers that have two different bounds each.

    >>> can_be_scaled(Box(-1, 1, (2,))), can_be_scaled(Box(-np.inf, np.inf, (2,)))
    (True, False)
    """
    return (
        _is_real(actions) and not _unbounded(actions) and bool((actions.low < actions.high).all())
    )


def check_box(actions: Box, environment: str) -> None:
    """Refuse what can not, in a sentence."""
    space = f"environment '{environment}' has the action space {actions}"
    if not _is_real(actions):
        raise DepoError(
            f"{space}: its actions are whole numbers, the off-policy learner takes real ones (a "
            "float Box)"
        )
    if _unbounded(actions):
        raise DepoError(
            f"{space}: actions must have finite bounds, as of gymnasium.wrappers.TransformAction("
            f"env, lambda action: action, gymnasium.spaces.Box(-1, 1, {actions.shape}))"
        )
    low = actions.low.ravel()
    for fixed in np.flatnonzero(low == actions.high.ravel()):
        raise DepoError(
            f"{space}: number {fixed} of an action can only be {low[fixed]:g}, offer the others in "
            "a gymnasium.ActionWrapper"
        )


def _is_real(actions: Box) -> bool:
    return np.issubdtype(actions.dtype, np.floating)


def _unbounded(actions: Box) -> bool:
    widest = np.maximum(np.abs(actions.low), np.abs(actions.high)).max(initial=0.0)
    return bool(widest >= NO_BOUND)


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

"""When a fit has stopped improving: one rule, for a loop inside the compiler and one outside.

A skill on finite states is fitted within a compiled iteration, one on vectors by passes over more
data than is copied to the compiler at once; both stop by this.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

ENOUGH = 0.99
"""A round counts as progress when it is 1% better than the best before."""


class Plateau(NamedTuple):
    """The best error so far, and the rounds since there was progress.

    >>> at = Plateau().after(1.0).after(0.995).after(0.5).after(0.6)
    >>> float(at.best), int(at.stale)
    (0.5, 1)
    """

    best: Any = np.inf
    stale: Any = 0

    def after(self, error: Any) -> Plateau:
        """One round on."""
        xp: Any = jnp if isinstance(error, jax.Array) else np
        stale = xp.where(error < ENOUGH * self.best, 0, self.stale + 1)
        return Plateau(xp.where(error < self.best, error, self.best), stale)

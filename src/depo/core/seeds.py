"""Streams of random numbers, one for each purpose: adding a draw to one leaves others alone."""

from __future__ import annotations

import jax
import numpy as np
from jaxtyping import Array, Int, Key

INIT, RESET, LEARN = range(3)
TRAINING, EVALUATION, RECORDING, EXPLORATION, YARDSTICK = 1, 2, 4, 5, 7
"""Environment seeds are derived with one of these words, so that none is used twice; 3 draws
demonstrations, 6 explores before a training."""


def stream(seed: Int[Array, ""], purpose: int) -> Key[Array, ""]:
    """The random key of a seed for one purpose."""
    return jax.random.fold_in(jax.random.key(seed), purpose)


def derived_seed(*words: int) -> int:
    """A seed for Gymnasium from several numbers."""
    return int(np.random.SeedSequence(words).generate_state(1)[0])

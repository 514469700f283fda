"""Streams of random numbers are never the same for two purposes."""

from __future__ import annotations

from itertools import product

import jax
import jax.numpy as jnp

from depo.core.seeds import (
    EVALUATION,
    EXPLORATION,
    INIT,
    LEARN,
    RECORDING,
    RESET,
    TRAINING,
    derived_seed,
    stream,
)


def test_streams_of_seeds_and_purposes_are_all_different() -> None:
    pairs = list(product(range(5), (INIT, RESET, LEARN)))
    keys = {tuple(jax.random.key_data(stream(jnp.asarray(s), p)).tolist()) for s, p in pairs}
    assert len(keys) == len(pairs)


def test_seeds_of_environments_are_all_different_and_always_the_same() -> None:
    words = list(product(range(20), (TRAINING, EVALUATION, RECORDING, EXPLORATION), range(5)))
    assert len({derived_seed(*w) for w in words}) == len(words)
    assert derived_seed(0, TRAINING, 3) == derived_seed(0, TRAINING, 3)

"""The rule by which fits stop is the same inside the compiler and outside."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depo.methods.plateau import Plateau


def test_progress_is_one_percent_of_the_best_so_far() -> None:
    plateau, stale = Plateau(), []
    for error in (1.0, 0.995, 0.992, 0.98, 0.979, 2.0):
        plateau = plateau.after(error)
        stale.append(int(plateau.stale))
    assert stale == [0, 1, 2, 0, 1, 2]
    assert float(plateau.best) == 0.979


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_same_inside_the_compiler(seed: int) -> None:
    errors = np.random.default_rng(seed).uniform(0.5, 1.0, 20).astype(np.float32)

    def step(plateau: Plateau, error: jax.Array) -> tuple[Plateau, jax.Array]:
        after = plateau.after(error)
        return after, after.stale

    begin = Plateau(jnp.asarray(np.inf, jnp.float32), jnp.zeros((), jnp.int32))
    _, inside = jax.lax.scan(step, begin, jnp.asarray(errors))
    plateau, outside = Plateau(), []
    for error in errors:
        plateau = plateau.after(float(error))
        outside.append(int(plateau.stale))
    assert inside.tolist() == outside

"""A code costs what it tells."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from depo.losses import variational_prediction
from depo.models.normaliser import Normaliser
from depo.models.variational_planner import VariationalPlanner
from tests.support.descent import minimise

KEY = jax.random.key(0)


def test_a_free_code_finds_the_next_state_and_a_dear_one_the_mean() -> None:
    state = jnp.linspace(-1.0, 1.0, 32)[:, None]
    planner = VariationalPlanner(KEY, Normaliser.none(1), (16,), latent=2)

    def changes(weight: float) -> np.ndarray:
        found = minimise(
            planner, lambda p: variational_prediction.loss(p, state, 3 * state, weight, KEY)[0], 400
        )
        return np.asarray(found.mode(state) - state)

    np.testing.assert_allclose(changes(1e-4), 2 * state, atol=0.25)
    assert np.abs(changes(100.0)).max() < 0.5  # the mean of −2 … 2

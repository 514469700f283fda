"""Statistics of states."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from depo.models.normaliser import Normaliser


def test_statistics_survive_a_feature_that_never_changes() -> None:
    normaliser = Normaliser.of(jnp.array([[1.0, 5.0], [2.0, 5.0]]), clip=20.0)
    z = normaliser(jnp.array([[100.0, 5.0], [1.0, 5.1]]))
    assert np.isfinite(z).all()
    assert np.abs(np.asarray(z)).max() <= 20.0
    np.testing.assert_allclose(normaliser.back(normaliser(jnp.array([1.5, 5.0]))), [1.5, 5.0])

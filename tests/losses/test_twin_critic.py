"""What the critics are trained towards."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from depo.losses import twin_critic


def test_an_end_is_worth_its_constant_and_a_cut_bootstraps() -> None:
    target = twin_critic.target(
        jnp.array([1.0, 1.0]), jnp.array([10.0, 10.0]), jnp.array([False, True]), -3.0, 0.9
    )
    np.testing.assert_allclose(target, [10.0, 1.0 - 2.7], rtol=1e-6)

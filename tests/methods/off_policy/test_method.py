from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from depo.methods.off_policy.method import Pace


def test_rates_fall_to_their_share_and_averages_follow() -> None:
    weights = {"w": jnp.zeros(3)}
    steps = []
    late = Pace(5, 0.1, after=0.4)
    for pace in [Pace(0, 0.1), Pace(4, 0.1), late, late.joined_after(2)]:
        optimiser = pace.adam(1e-2)
        state = optimiser.init(weights)
        for _ in range(6):
            update, state = optimiser.update({"w": jnp.ones(3)}, state)
            steps.append(-float(update["w"][0]))
    np.testing.assert_allclose(steps[:6], 1e-2, rtol=1e-3)
    np.testing.assert_allclose(steps[6:12], [1e-2, 7.75e-3, 5.5e-3, 3.25e-3, 1e-3, 1e-3], rtol=1e-3)
    np.testing.assert_allclose(steps[12:18], [1e-2, 1e-2, 1e-2, 7e-3, 4e-3, 1e-3], rtol=1e-3)
    np.testing.assert_allclose(steps[18:], [1e-2, 7e-3, 4e-3, 1e-3, 1e-3, 1e-3], rtol=1e-3)

"""Where the answer is known: s' = s + a/10, an expert that walks right at half speed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.environments.point import STEP
from tests.support.learning import RIGHT, learned, moved, places


@pytest.mark.slow
def test_where_states_are_the_experts_anyway_the_prior_decides() -> None:
    method, agent, metrics = learned("sail", latent_size=4, step_units=True)
    state = places()
    predicted = np.asarray(agent["planner"].model.mode(state) - state)
    np.testing.assert_allclose(predicted.mean(axis=0), RIGHT, atol=0.1 * STEP)
    gone = np.asarray(moved(method.policy(agent).mode(state).action))
    np.testing.assert_allclose(gone.mean(axis=0), RIGHT, atol=0.2 * STEP)
    assert abs(metrics["wasserstein_distance"]) < 0.3  # both are anywhere

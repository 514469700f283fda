"""Where the answer is known: s' = s + a/10, an expert that walks right at half speed."""

from __future__ import annotations

import numpy as np

from tests.support.learning import RIGHT, learned, moved, places


def test_the_policy_goes_where_the_predictor_says_the_expert_would() -> None:
    method, agent, metrics = learned("imo", step_units=True, nearness_width=1.0)
    state = places()
    predicted = agent["planner"].model.mode(state) - state
    np.testing.assert_allclose(predicted, np.tile(RIGHT, (64, 1)), atol=0.01)
    gone = moved(method.policy(agent).mode(state).action)
    np.testing.assert_allclose(gone.mean(axis=0), RIGHT, atol=0.015)
    assert metrics["reward"] < 1.0  # only the expert's own steps have that

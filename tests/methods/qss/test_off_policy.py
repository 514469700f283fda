"""Where the answers are known: s' = s + a/10; reward is best on the line y = 0, the expert walks
right."""

from __future__ import annotations

import numpy as np
import pytest

from depo.models.planner import GaussianPlanner
from tests.environments.point import STEP
from tests.support.learning import RIGHT, learned, moved, places


@pytest.mark.slow
@pytest.mark.parametrize("copies", [1, 2])
def test_the_planner_goes_to_the_line_also_where_motors_are_redundant(copies: int) -> None:
    method, agent, _ = learned("qss", updates=1_200, copies=copies, reward_scale=10.0)
    planner: GaussianPlanner = agent["planner"].model
    state = places()
    far = np.abs(state[:, 1]) > 0.3
    planned = np.asarray(planner.mode(state) - state)[far]
    towards = -np.sign(state[far, 1])
    assert (planned[:, 1] * towards > 0.3 * STEP).all()
    assert (np.abs(planned) < 1.5 * STEP).all()  # no further than an action reaches
    gone = np.asarray(moved(method.policy(agent).mode(state).action))[far]
    assert (gone[:, 1] * towards > 0.3 * STEP).mean() > 0.9


@pytest.mark.slow
def test_with_a_discriminators_reward_it_goes_where_the_expert_goes() -> None:
    method, agent, _ = learned(
        "qss-gaifo", updates=1_200, gradient_penalty=0.1, discriminator_rate=3e-3
    )
    state = places()
    planned = np.asarray(agent["planner"].model.mode(state) - state)
    np.testing.assert_allclose(planned.mean(axis=0), RIGHT, atol=0.25 * STEP)
    gone = moved(method.policy(agent).mode(state).action)
    np.testing.assert_allclose(gone.mean(axis=0), RIGHT, atol=0.25 * STEP)

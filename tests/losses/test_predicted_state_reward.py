"""The reward of a predictor whose answer is known."""

from __future__ import annotations

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from depo.losses import predicted_state_reward
from depo.models.normaliser import Normaliser
from tests.environments.point import walking


@pytest.mark.parametrize(
    ("form", "expected"),
    [("gaussian", [1.0, np.exp(-0.5), np.exp(-2.0)]), ("tanh", -np.tanh([0.0, 1.0, 2.0]))],
)
def test_the_reward_falls_with_the_distance_from_the_prediction(form: str, expected) -> None:
    state = jnp.zeros((3, 2))
    reached = jnp.array([[0.5, 0.0], [0.5, 0.5], [0.5, 1.0]])  # one width, then two, too far up
    found = predicted_state_reward.reward(
        walking((0.5, 0.0), scale=0.5), state, reached, form, width=0.5**0.5
    )
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_where_steps_are_known_the_distance_is_in_lengths_of_a_step() -> None:
    planner = walking((0.5, 0.0), scale=0.5)
    steps = Normaliser(
        planner.normaliser.mean, planner.normaliser.scale, step=jnp.array([1.0, 1e-3])
    )
    planner = eqx.tree_at(lambda p: p.normaliser, planner, steps)
    still = jnp.array([[0.5, 0.5]])  # a whole step off, where the expert never moves
    found = predicted_state_reward.distance(planner, jnp.zeros((1, 2)), still)
    np.testing.assert_allclose(found, [1.0], rtol=1e-4)

"""A demonstration as planner, with a recogniser that is known."""

from __future__ import annotations

from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from depo.models.folder import load_planner, save_planner
from depo.models.following_planner import FollowingPlanner
from depo.models.normaliser import Normaliser

ROUTE = jnp.array([[0.0], [1.0], [2.0], [3.0], [99.0]])


def planner(bias: float, ahead: int = 1) -> FollowingPlanner:
    """On the way 0, 1, 2, 3; a goal counts as reached within ``bias`` above one's place."""
    key, rows = jax.random.key(0), jnp.array(4)
    made = FollowingPlanner(key, Normaliser.none(1), (), ROUTE, rows, ahead=ahead)
    weights = (jnp.array([[0.0], [-1.0]]), jnp.array([bias]))
    return eqx.tree_at(lambda p: (p.network.weights[0], p.network.biases[0]), made, weights)


def test_the_goal_is_the_next_state_that_is_not_reached() -> None:
    state = jnp.array([[-5.0], [0.9], [1.2], [3.4]])
    assert planner(0.0).mode(state)[:, 0].tolist() == [1.0, 2.0, 2.0, 3.0]  # the last for good
    assert planner(0.9).mode(state)[:, 0].tolist() == [1.0, 2.0, 3.0, 3.0]
    assert planner(0.0, ahead=2).mode(state)[:, 0].tolist() == [2.0, 3.0, 3.0, 3.0]


def test_a_folder_gives_back_the_same_goals(tmp_path: Path) -> None:
    again = load_planner(save_planner(tmp_path, planner(0.9, ahead=2)))
    state = jnp.linspace(-1.0, 4.0, 9)[:, None]
    np.testing.assert_array_equal(again.mode(state), planner(0.9, ahead=2).mode(state))

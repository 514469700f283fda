"""A planner with a bottleneck is a planner: it plans, and its folder loads."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from depo.models.folder import load_planner, save_planner
from depo.models.normaliser import Normaliser
from depo.models.variational_planner import VariationalPlanner

KEY = jax.random.key(0)
STATE = jax.random.normal(KEY, (4, 3))


def test_a_folder_gives_back_the_same_plans(tmp_path: Path) -> None:
    normaliser = Normaliser(jnp.ones(3), jnp.full(3, 2.0), 5.0, jnp.full(3, 0.5))
    planner = VariationalPlanner(KEY, normaliser, (8, 8), latent=2, predicts=(0, 2))
    again = load_planner(save_planner(tmp_path, planner))
    assert isinstance(again, VariationalPlanner)
    np.testing.assert_array_equal(again.mode(STATE), planner.mode(STATE))
    np.testing.assert_array_equal(again.sample(STATE, KEY), planner.sample(STATE, KEY))
    assert planner.mode(STATE).shape == (4, 2)
    assert not np.allclose(planner.mode(STATE), planner.sample(STATE, KEY))

from __future__ import annotations

import numpy as np

from depo.environments.by_name import named_environment
from depo.environments.family import family_of
from depo.evaluation.random_policy import random_scores_on_vectors
from tests.environments.point import ID, STEP


def test_random_steps_return_what_a_random_walk_does() -> None:
    """The plane's reward is −|y|, and a step is uniform: both are simulated here once more."""
    draw = np.random.default_rng(0)
    start = draw.uniform(-1, 1, 20_000)
    walk = start + np.cumsum(STEP * draw.uniform(-1, 1, (40, 20_000)), axis=0)
    found = random_scores_on_vectors(named_environment(ID).gymnasium(), episodes=200)
    assert np.isclose(found["return"], -np.abs(walk).sum(axis=0).mean(), rtol=0.1)
    assert "success" not in found


def test_finite_states_are_played_too() -> None:
    lake = named_environment("FrozenLake-v1", {"is_slippery": False})
    found = family_of(lake).random_scores(lake, 400)
    assert 0.0 < found["return"] < 0.05  # some 1.4% of random walks arrive


def test_success_on_the_grid_is_exact_and_does_not_depend_on_k() -> None:
    scores = []
    for k in (1, 4):
        world = named_environment("gridworld", {"size": 3, "horizon": 8, "k": k})
        scores.append(family_of(world).random_scores(world, 5)["success"])
    assert 0.0 < scores[0] < 1.0
    assert np.isclose(*scores)

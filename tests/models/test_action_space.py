from __future__ import annotations

import numpy as np
import pytest

from depo.models.action_space import ActionSpace

SPACES = [ActionSpace.of_choices(choices) for choices in ((3,), (2, 3), (2, 2, 2))]


@pytest.mark.parametrize("space", SPACES)
def test_every_action_is_there_once_and_is_read_back(space: ActionSpace) -> None:
    every = space.every()
    assert every.shape == (space.combinations, space.length)
    assert len(np.unique(every, axis=0)) == space.combinations
    np.testing.assert_array_equal(space.one_hot(space.numbers(every)), every)


@pytest.mark.parametrize("space", SPACES)
def test_random_actions_are_evenly_spread(space: ActionSpace) -> None:
    drawn = space.random(np.random.default_rng(0), (100, 60))
    rows, counts = np.unique(drawn.reshape(-1, space.length), axis=0, return_counts=True)
    assert len(rows) == space.combinations
    np.testing.assert_allclose(counts / 6_000, 1 / space.combinations, atol=0.02)


def test_noise_moves_vectors_and_replaces_choices() -> None:
    generator, box, choice = np.random.default_rng(0), ActionSpace(2), ActionSpace.of_choices((4,))
    strayed = box.strayed(np.ones((500, 2), np.float32), 0.3, generator)
    assert strayed.dtype == np.float32
    assert (strayed <= 1).all()
    assert 0.3 < (strayed < 1).mean() < 0.7
    first = choice.one_hot(np.zeros((4_000, 1), int))
    replaced = choice.strayed(first, 0.4, generator)
    assert (replaced.sum(axis=-1) == 1).all()
    assert (replaced[:, 0] == 0).mean() == pytest.approx(0.4 * 3 / 4, abs=0.03)

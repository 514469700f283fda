"""A pendulum that shows its angle as cosine and sine."""

from __future__ import annotations

import numpy as np
import pytest

from depo.analysis.recordings.moves import Moves
from depo.analysis.recordings.products import find_products, ratios

STEP = 0.05


def swings(step: float, episodes: int, seed: int) -> Moves:
    """Random torques held for a while; each state is as many seconds after the last."""
    generator = np.random.default_rng(seed)
    angle, speed = generator.uniform(-3, 3, episodes), generator.normal(size=episodes)
    states = []
    for _ in range(60):
        states.append(np.stack([np.cos(angle), np.sin(angle), speed], axis=1))
        after = speed + step * (np.sin(angle) + generator.uniform(-2, 2, episodes))
        angle, speed = angle + step * (speed + after) / 2, after
    rows = np.stack(states)
    before, reached = (part.reshape(-1, 3) for part in (rows[:-1], rows[1:]))
    return Moves(before, reached, rows[0])


def test_cosine_and_sine_follow_the_products() -> None:
    cosine, sine = find_products(swings(STEP, 20, 0))
    assert (cosine[:3], sine[:3]) == ((0, 1, 2), (1, 0, 2))
    np.testing.assert_allclose([cosine.slope, sine.slope], [-STEP, STEP], rtol=0.02)


@pytest.mark.parametrize("ratio", [0.5, 1.0, 2.0, 4.0])
def test_they_tell_how_long_a_step_is(ratio: float) -> None:
    found, weights = ratios(swings(ratio * STEP, 4, 1), swings(STEP, 20, 0))
    np.testing.assert_allclose(np.exp(found), ratio, rtol=0.1)
    assert (weights > 0.8).all()


def test_noise_follows_nothing() -> None:
    generator = np.random.default_rng(0)
    noise = Moves(*(generator.normal(size=(200, 3)) for _ in range(3)))
    assert find_products(noise) == []
    assert ratios(noise, swings(STEP, 20, 0))[0].size == 0


@pytest.mark.parametrize("size", [1, 2])
def test_two_features_have_no_third_that_follows_them(size: int) -> None:
    generator = np.random.default_rng(0)
    moves = Moves(*(generator.normal(size=(200, size)) for _ in range(3)))
    assert find_products(moves) == []
    assert ratios(moves, moves)[0].size == 0

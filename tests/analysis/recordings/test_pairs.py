from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depo.analysis.recordings.moves import Moves
from depo.analysis.recordings.pairs import correlations, find_pairs, slope
from tests.support.cart import STEP, demonstrations, explored, recording

EXPERT = Moves.of(demonstrations(recording()))


def test_random_and_expert_steps_have_the_same_pairs_and_slopes() -> None:
    for moves in (explored().moves, EXPERT):
        pairs = find_pairs(moves)
        assert [pair.both for pair in pairs] == [(0, 2), (1, 3)]
        np.testing.assert_allclose([pair.slope for pair in pairs], STEP, rtol=0.01)


@settings(deadline=None, max_examples=30)
@given(st.permutations(range(4)), st.lists(st.floats(0.01, 100), min_size=4, max_size=4))
def test_pairs_move_with_their_columns_and_slopes_with_units(order, factors) -> None:
    columns, factors = np.array(order), np.array(factors)
    changed = EXPERT[columns] * factors
    for position, velocity in ((0, 2), (1, 3)):
        i, j = (
            int(np.flatnonzero(columns == position)[0]),
            int(np.flatnonzero(columns == velocity)[0]),
        )
        found = slope(changed, i, j)
        np.testing.assert_allclose(found.slope, STEP * factors[i] / factors[j], rtol=0.02)


def test_clipped_velocities_do_not_change_the_slope() -> None:
    clip = np.array([50, 50, 2.0, 2.0])
    clipped = Moves(
        *(np.clip(part, -clip, clip) for part in (EXPERT.states, EXPERT.reached, EXPERT.starts))
    )
    assert (np.abs(EXPERT.states[:, 2:]) > 2).mean() > 0.05
    np.testing.assert_allclose([p.slope for p in find_pairs(clipped)], STEP, rtol=0.02)


def test_what_stands_still_has_no_pairs() -> None:
    still = Moves(np.zeros((100, 4)), np.zeros((100, 4)), np.zeros((1, 4)))
    assert find_pairs(still) == []
    assert not slope(still, 0, 2).slope > 0


def test_one_loose_relation_is_a_force_and_no_pair() -> None:
    generator = np.random.default_rng(0)
    state = generator.normal(size=(400, 2))
    push = 0.7 * state[:, 1] + 0.2 * generator.normal(size=400)
    loose = Moves(state, state + np.c_[push, np.zeros(400)], state[:1])
    assert abs(correlations(loose)[0, 1]) > 0.85
    assert find_pairs(loose) == []


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_an_integrator_that_adds_one_of_both_velocities_is_taken_as_it_is(share: float) -> None:
    """Actions that change their sign in every step make the mean of velocities another thing."""
    generator = np.random.default_rng(0)
    speed = np.cumsum(generator.choice([-1.0, 1.0], 300))
    added = (1 - share) * speed[:-1] + share * speed[1:]
    place = np.concatenate([[0.0], np.cumsum(0.02 * added)])
    states = np.stack([place, speed], axis=1)
    moves = Moves(states[:-1], states[1:], states[:1])
    (pair,) = find_pairs(moves)
    assert (pair.position, pair.velocity, pair.share) == (0, 1, share)
    np.testing.assert_allclose(pair.slope, 0.02, rtol=1e-6)

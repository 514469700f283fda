from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from depo.analysis.recordings.comparison import Comparison
from depo.analysis.recordings.exploration import Explored
from depo.analysis.recordings.moves import Moves
from depo.analysis.recordings.step_size import common_ratio, find_step_size, step_ratio
from tests.support.cart import NAMES, STEP, demonstrations, explored, recording


def compared(seconds: float) -> Comparison:
    moves = Moves.of(demonstrations(recording(seconds, episodes=2)))
    return Comparison(moves, explored(), NAMES)


@settings(deadline=None, max_examples=12)
@given(st.floats(0.1, 0.75) | st.floats(1.4, 4.0))
def test_any_other_step_is_measured(ratio: float) -> None:
    found = step_ratio(compared(STEP * ratio))
    np.testing.assert_allclose(found, ratio, rtol=0.05)


@settings(deadline=None, max_examples=12)
@given(st.floats(0.85, 1.2))
def test_nearly_the_same_step_is_the_same(ratio: float) -> None:
    assert find_step_size(compared(STEP * ratio)) == []


@given(st.floats(-3, 3), st.integers(3, 9), st.floats(4, 9))
def test_most_pairs_decide(shared: float, many: int, other: float) -> None:
    ratios = np.array([shared] * many + [shared + other, np.nan])
    np.testing.assert_allclose(common_ratio(ratios), shared)


def test_without_pairs_nothing_is_said() -> None:
    assert np.isnan(common_ratio(np.array([np.nan])))
    assert np.isnan(common_ratio(np.array([])))


def on_a_road(speeds: tuple[float, float], turned: float, seconds: float = 0.1) -> Moves:
    """From anywhere one step of a car and its trailer: way, speed, two sides, two headings."""
    generator = np.random.default_rng(0)
    low, high = [0, speeds[0], -2, -2, -turned, -turned], [100, speeds[1], 2, 2, turned, turned]
    states = generator.uniform(low, high, (2_000, 6))
    speed, headings = states[:, 1:2], states[:, 4:]
    steered = generator.uniform(-0.02, 0.02, (2_000, 3))
    way, sides = speed * np.cos(headings[:, :1]), speed * np.sin(headings)
    change = np.concatenate([way, steered[:, :1], sides, steered[:, 1:]], axis=1)
    return Moves(states, states + seconds * change, states[:10])


def beside_random_driving(recorded: Moves) -> Comparison:
    """Which is slower than the expert's, and not as straight."""
    ends = np.full(6, -np.inf), np.full(6, np.inf)
    moves, nothing = on_a_road((2.0, 12.0), 0.6), np.zeros((2_000, 0))
    explored = Explored(moves, nothing, *ends, limit=None, seconds=None)
    names = ("way", "speed", "side", "trailer's side", "heading", "trailer's heading")
    return Comparison(recorded, explored, names)


def test_a_slope_that_depends_on_the_state_is_no_other_step_where_an_exact_pair_says_so() -> None:
    faster = beside_random_driving(on_a_road((8.0, 12.0), 0.1))
    assert len(faster.pairs) == 3
    assert find_step_size(faster) == []
    coarser = beside_random_driving(on_a_road((8.0, 12.0), 0.1, 0.2))
    np.testing.assert_allclose(step_ratio(coarser), 2.0, rtol=0.5)

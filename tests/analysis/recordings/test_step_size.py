from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from depo.analysis.recordings.comparison import Comparison
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

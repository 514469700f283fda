from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depo.analysis.recordings.comparison import Comparison
from depo.analysis.recordings.moves import Moves
from depo.analysis.recordings.units import KNOWN, unit_factors
from tests.support.cart import NAMES, demonstrations, explored, recording

AS_IT_IS = Comparison(Moves.of(demonstrations(recording())), explored(), NAMES)


@settings(deadline=None, max_examples=30)
@given(st.sampled_from([f for f in KNOWN if f > 1]), st.integers(0, 3))
def test_any_feature_in_any_known_unit_is_found_and_no_other(factor: float, feature: int) -> None:
    factors = np.ones(4)
    factors[feature] = factor
    found = unit_factors(AS_IT_IS.corrected(factors=factors))
    np.testing.assert_allclose(found, factors)


@settings(deadline=None, max_examples=30)
@given(st.floats(0.5, 2.0))
def test_an_expert_twice_as_fast_or_slow_has_no_other_units(factor: float) -> None:
    factors = np.array([factor, 1, factor, 1])
    assert (unit_factors(AS_IT_IS.corrected(factors=factors)) == 1).all()


@pytest.mark.parametrize("factor", [180 / np.pi, 1000.0])
def test_a_feature_without_a_velocity_is_told_by_its_range(factor: float) -> None:
    """Of x and y alone, without any pairs."""
    parts = explored().moves[np.array([0, 1])]
    alone = Comparison(
        AS_IT_IS.recording[np.array([0, 1])],
        type(explored())(parts, explored().actions, np.full(2, -50), np.full(2, 50), None, None),
        ("x", "y"),
    )
    assert (unit_factors(alone) == 1).all()
    factors = np.array([1.0, factor])
    np.testing.assert_allclose(unit_factors(alone.corrected(factors=factors)), factors)

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from depo.analysis.recordings.comparison import Comparison
from depo.analysis.recordings.moves import Moves
from depo.analysis.recordings.order import better_order, contradictions
from tests.support.cart import NAMES, demonstrations, explored, recording

AS_IT_IS = Comparison(Moves.of(demonstrations(recording())), explored(), NAMES)


def test_what_fits_is_left_as_it_is() -> None:
    assert contradictions(AS_IT_IS) == set()
    assert better_order(AS_IT_IS) is None


@pytest.mark.parametrize("order", list(permutations(range(4)))[1:])
def test_every_order_is_undone(order: tuple[int, ...]) -> None:
    """y begins at 5 and all else at 0, so that each feature can be told."""
    columns = np.array(order)
    found = better_order(AS_IT_IS.corrected(columns))
    assert found is not None
    assert columns[found].tolist() == [0, 1, 2, 3]


def test_other_units_are_no_other_order() -> None:
    assert better_order(AS_IT_IS.corrected(factors=np.array([1000.0, 1, 1, 1]))) is None
    assert better_order(AS_IT_IS.corrected(factors=np.full(4, 57.3))) is None

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from depo.data.importing.velocities import Differentiator, rates


@given(st.floats(-3, 3), st.floats(-3, 3), st.integers(3, 30))
def test_a_parabola_is_differentiated_exactly_inside(a: float, b: float, rows: int) -> None:
    time = np.arange(rows) * 0.1
    found = rates(time, (a * time**2 + b * time)[:, None])[:, 0]
    np.testing.assert_allclose(found[1:-1], (2 * a * time + b)[1:-1], atol=1e-9)


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 20), max_size=6))
def test_parts_of_an_episode_make_no_difference(seed: int, cuts: list[int]) -> None:
    rng = np.random.default_rng(seed)
    time, values = np.cumsum(rng.uniform(0.1, 1, 20)), rng.normal(size=(20, 2))
    own = Differentiator()
    parts = [
        own.push(t, v)
        for t, v in zip(np.split(time, sorted(cuts)), np.split(values, sorted(cuts)), strict=True)
        if len(t)
    ]
    told = [np.concatenate(column) for column in zip(*parts, own.close(), strict=True)]
    np.testing.assert_array_equal(told[0], time)
    np.testing.assert_array_equal(told[1], values)
    np.testing.assert_allclose(told[2], rates(time, values))
    assert not len(own.close()[0])

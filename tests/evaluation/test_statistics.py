from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depo.evaluation.statistics import first_crossing, interval, iqm


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30))
def test_the_interquartile_mean_is_scipys(values: list[float]) -> None:
    from scipy.stats import trim_mean

    assert float(iqm(values)) == pytest.approx(trim_mean(values, 0.25), abs=1e-9)


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    generator = np.random.default_rng(0)
    covered = []
    for _ in range(200):
        low, high = interval(generator.normal(size=20), "mean")
        covered.append(low <= 0 <= high)
    assert 0.88 <= np.mean(covered) <= 0.99


def test_a_broken_seed_is_not_trimmed_away() -> None:
    assert np.isnan(iqm([np.nan, 0.9, 0.9, 0.9, 0.9]))


def test_seeds_that_never_arrive_stay_in_the_statistics() -> None:
    bounds = interval([100.0, 200.0, 300.0, np.inf, np.inf], "median")
    assert bounds is not None
    assert bounds[1] == np.inf
    assert first_crossing([1, 2], [0.1, 0.2], 0.9) == np.inf

"""What an end is worth, against a problem whose answer is known: a discounted occupancy."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depo.losses.end_value import LARGEST_RATIO, below_usual, for_ever, log_ratio

GAMMA = 0.99


def occupancy(share: float) -> np.ndarray:
    """Of going on and of having ended, of who ends in each step with this probability: each end is
    as good as 1/(1 − γ) steps at its place."""
    time = np.array([1.0 - share, share / (1.0 - GAMMA)])
    return time / time.sum()


@given(expert=st.floats(0.002, 0.05), agent=st.floats(0.002, 0.05))
def test_the_log_ratio_is_what_the_best_discriminator_says_of_having_ended(
    expert: float, agent: float
) -> None:
    best = np.log(occupancy(expert)) - np.log(occupancy(agent))
    told = float(log_ratio(jnp.asarray(expert), jnp.asarray(agent)))
    exact = best[1] - best[0]  # rewards have no zero: less what it says of going on
    assert told == pytest.approx(np.clip(exact, -LARGEST_RATIO, LARGEST_RATIO), abs=0.06)


@pytest.mark.parametrize(("share", "bound"), [(0.0, 1.0), (1.0, -1.0)])
def test_who_never_ends_and_who_ends_in_every_step_have_the_bounds(
    share: float, bound: float
) -> None:
    told = log_ratio(jnp.asarray(0.01), jnp.asarray(share))
    assert float(told) == pytest.approx(bound * LARGEST_RATIO)


def test_an_end_that_loses_is_worth_no_less_than_to_an_expert_who_goes_on() -> None:
    worst = below_usual(jnp.array([1.0, 3.0]), jnp.array([True, True]), 2.0)
    assert float(worst) == 0.0
    assert float(for_ever(worst, jnp.asarray(-1.0), GAMMA)) == 0.0
    assert float(for_ever(worst, jnp.asarray(0.5), GAMMA)) == pytest.approx(50.0)


def test_where_nothing_goes_on_there_is_no_nan() -> None:
    assert float(below_usual(jnp.array([1.0]), jnp.array([False]), 1.0)) == 0.0

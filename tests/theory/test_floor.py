from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from depo.theory.finite_mdp import FiniteMDP
from depo.theory.floor import divergence_floor
from depo.theory.occupancy import imitation_divergence, transition_occupancy
from tests.support.probabilities import simplex


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_no_policy_goes_below_the_certified_floor(seed: int) -> None:
    generator = np.random.default_rng(seed)
    mdp = FiniteMDP(simplex(generator, 4, 3, 4), simplex(generator, 4), 0.9)
    other = mdp.starting_from(simplex(generator, 4))
    expert = transition_occupancy(other, simplex(generator, 4, 3))
    floor = divergence_floor(mdp, expert, tolerance=1e-3)
    assert floor.gap < 1e-3
    for _ in range(20):
        policy = simplex(generator, 4, 3)
        assert imitation_divergence(mdp, policy, expert) >= floor.value - floor.gap - 1e-9


def test_the_floor_is_zero_where_the_expert_can_be_matched() -> None:
    generator = np.random.default_rng(0)
    mdp = FiniteMDP(simplex(generator, 4, 3, 4), simplex(generator, 4), 0.9)
    expert = transition_occupancy(mdp, simplex(generator, 4, 3))
    floor = divergence_floor(mdp, expert, tolerance=1e-4)
    assert floor.value < 2e-4

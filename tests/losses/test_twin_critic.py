"""What an end is worth to the critics."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from depo.losses import twin_critic
from depo.methods.gaifo import OffPolicyGAIfO
from depo.methods.method import Agent
from depo.methods.off_policy.steps import end_value, reward_of
from depo.methods.optimisation import Trained
from depo.methods.settings_tree import with_values
from depo.models.scalar import Scalar

USUAL: Agent = {"centre": Trained(Scalar(jnp.zeros(())), None)}
VALUES, ENDED = jnp.array([1.0, 3.0, 99.0]), jnp.array([False, False, True])


def gaifo(**changes: object) -> OffPolicyGAIfO:
    return with_values(OffPolicyGAIfO(), changes)


def worth_of_ends(values: jnp.ndarray, own: jnp.ndarray, s: OffPolicyGAIfO) -> np.ndarray:
    return np.asarray(end_value(USUAL, values, lambda: own, ENDED, s))


def test_an_end_is_worth_its_constant_and_a_cut_bootstraps() -> None:
    target = twin_critic.target(
        jnp.array([1.0, 1.0]), jnp.array([10.0, 10.0]), jnp.array([False, True]), -3.0, 0.9
    )
    np.testing.assert_allclose(target, [10.0, 1.0 - 2.7], rtol=1e-6)


def test_an_absorbed_agent_earns_a_poor_reward_for_ever() -> None:
    s = gaifo(termination="absorbing", reward="logit", reward_scale=0.2, absorbing_logit=5.0)
    poor = float(reward_of(jnp.asarray(-5.0), s.discriminator))
    earned = sum(s.critic.gamma**t * poor for t in range(5_000))
    assert float(worth_of_ends(VALUES, VALUES, s)) == pytest.approx(earned, rel=1e-4)
    assert worth_of_ends(VALUES, VALUES, gaifo(termination="zero")) == 0.0


def test_a_relative_end_moves_with_the_reward_and_sees_only_what_goes_on() -> None:
    s = gaifo(termination="relative", end_cost=2.0)
    own = jnp.array([50.0, 50.0, 50.0])
    worth = worth_of_ends(VALUES, own, s)
    np.testing.assert_allclose(worth, 2.0 - 2.0, atol=1e-6)  # of 1 and 3: mean 2, deviation 1
    shifted = worth_of_ends(5.0 * VALUES + 7.0, 5.0 * own + 7.0, s)
    np.testing.assert_allclose(shifted, 5.0 * worth + 7.0, atol=1e-5)
    all_ended = end_value(USUAL, VALUES, lambda: own, ENDED | True, s)
    assert np.isfinite(all_ended).all()  # nothing goes on: no NaN


def test_a_relative_end_is_never_worth_more_than_the_state_it_ended_in() -> None:
    s = gaifo(termination="relative", end_cost=1.0)
    own = jnp.array([-4.0, 0.5, 9.0])  # an episode's first states may be worth less than is usual
    np.testing.assert_allclose(worth_of_ends(VALUES, own, s), [-4.0, 0.5, 1.0], atol=1e-6)

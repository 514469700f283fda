"""What an end is worth to the critics."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depo.data.transitions import Transitions
from depo.losses import twin_critic
from depo.methods.gaifo import OffPolicyGAIfO
from depo.methods.method import Agent
from depo.methods.off_policy.method import STEADY, Shape
from depo.methods.off_policy.steps import (
    WANTED_ENDS,
    discriminator_reward,
    end_value,
    first_states,
    new_discriminator,
    reward_of,
)
from depo.methods.optimisation import Trained
from depo.methods.settings_tree import with_values
from depo.models.normaliser import Normaliser
from depo.models.scalar import Scalar

USUAL: Agent = {"centre": Trained(Scalar(jnp.zeros(())), None)}
VALUES, NOTHING = jnp.array([1.0, 3.0, 99.0]), jnp.zeros((3, 2))
BATCH = Transitions(NOTHING, NOTHING, NOTHING + 1, jnp.zeros(3), jnp.array([False, False, True]))


def gaifo(**changes: object) -> OffPolicyGAIfO:
    return with_values(OffPolicyGAIfO(), changes)


def worth_of_ends(values: jnp.ndarray, first: jnp.ndarray, s: OffPolicyGAIfO) -> np.ndarray:
    return np.asarray(end_value(USUAL, BATCH, values, lambda: first, s))


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
    first = jnp.array([50.0, 70.0])
    worth = worth_of_ends(VALUES, first, s)
    assert float(worth) == pytest.approx(2.0 - 2.0, abs=1e-6)  # of 1 and 3: mean 2, deviation 1
    shifted = worth_of_ends(5.0 * VALUES + 7.0, 5.0 * first + 7.0, s)
    assert float(shifted) == pytest.approx(5.0 * float(worth) + 7.0, abs=1e-5)
    all_ended = end_value(
        USUAL, BATCH._replace(terminated=jnp.ones(3, bool)), VALUES, lambda: first, s
    )
    assert np.isfinite(all_ended)  # nothing goes on: no NaN


def test_a_relative_end_is_never_worth_more_than_beginning_anew() -> None:
    s = gaifo(termination="relative", end_cost=1.0)
    assert float(worth_of_ends(VALUES, jnp.array([-4.0, 0.0]), s)) == pytest.approx(-2.0)
    assert float(worth_of_ends(VALUES, jnp.array([-4.0, 9.0]), s)) == pytest.approx(1.0)


def test_an_end_like_the_experts_is_worth_its_last_step_for_ever() -> None:
    s = gaifo(termination="relative", reward_centre=1e-3, reward_spread=1e-3)
    plain = Normaliser.none(2)
    shape = Shape(plain, 2, plain, (0, 1))
    agent = new_discriminator(jax.random.key(0), shape, s, STEADY)
    assert WANTED_ENDS not in agent
    wanted = new_discriminator(jax.random.key(0), shape._replace(expert_ends=True), s, STEADY)
    first = jnp.array([-4.0, 0.0])
    worst = float(end_value(agent, BATCH, VALUES, lambda: first, s))
    reward = discriminator_reward(wanted, BATCH.state, BATCH.next_state, s.discriminator)
    for less in (0.0, 9.0):  # the centre, which decides whether the step is a good one
        own = wanted | {"centre": Trained(Scalar(jnp.asarray(less)), None)}
        worth = np.asarray(end_value(own, BATCH, VALUES, lambda: first, s))
        earned = (np.asarray(reward) - less) / (1 - s.critic.gamma)
        np.testing.assert_allclose(worth, np.maximum(earned, worst), rtol=1e-4)
    assert (worth == worst).all()
    absorbing = gaifo(termination="absorbing")
    always = new_discriminator(
        jax.random.key(0), shape._replace(expert_ends=True), absorbing, STEADY
    )
    assert WANTED_ENDS not in always


def test_first_states_are_those_that_nothing_leads_to() -> None:
    episodes = [np.arange(6.0).reshape(3, 2), 50 + np.arange(4.0).reshape(2, 2)]
    state = jnp.array(np.concatenate([e[:-1] for e in episodes]))
    next_state = jnp.array(np.concatenate([e[1:] for e in episodes]))
    first = np.asarray(first_states((state, next_state)))
    assert {tuple(row) for row in first} == {(0.0, 1.0), (50.0, 51.0)}
    alone = np.asarray(first_states((state[:1], next_state[:1])))  # also without demonstrations
    assert {tuple(row) for row in alone} == {(0.0, 1.0)}

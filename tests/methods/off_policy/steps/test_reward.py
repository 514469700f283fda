"""Rewards by the discriminator: their bounds and mean, and what an end is worth."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depo.data.transitions import Transitions
from depo.losses import adversarial_reward
from depo.methods.gaifo import OffPolicyGAIfO
from depo.methods.method import Agent
from depo.methods.off_policy.method import STEADY, Shape
from depo.methods.off_policy.steps import (
    WANTED_ENDS,
    discriminator_reward,
    end_value,
    new_discriminator,
    reward_of,
    update_reward,
)
from depo.methods.optimisation import Trained
from depo.methods.settings_tree import with_values
from depo.models.normaliser import Normaliser
from depo.models.scalar import Scalar

KEY = jax.random.key(0)
PLAIN = Normaliser.none(2)
USUAL: Agent = {"centre": Trained(Scalar(jnp.zeros(())), None)}
VALUES, NOTHING = jnp.array([1.0, 3.0, 99.0]), jnp.zeros((3, 2))
BATCH = Transitions(NOTHING, NOTHING, NOTHING + 1, jnp.zeros(3), jnp.array([False, False, True]))


def gaifo(**changes: object) -> OffPolicyGAIfO:
    return with_values(OffPolicyGAIfO(), changes)


def worth_of_ends(values: jnp.ndarray, first: jnp.ndarray, s: OffPolicyGAIfO) -> np.ndarray:
    return np.asarray(end_value(USUAL, BATCH, values, lambda: first, s))


def test_a_centred_reward_has_no_mean_and_changes_no_rank() -> None:
    shape = Shape(PLAIN, 1, PLAIN, (0, 1))
    state, next_state = jax.random.normal(KEY, (2, 16, 2))
    batch = Transitions(state, jnp.zeros((16, 1)), next_state, jnp.zeros(16), jnp.zeros(16, bool))
    plain, centred = gaifo(reward_shift=3.0), gaifo(reward_shift=3.0, reward_centre=1.0)
    agent: Agent = new_discriminator(KEY, shape, plain, STEADY)
    update = eqx.filter_jit(update_reward)
    _, usual, _ = update(agent, batch, (state, state), plain.discriminator, STEADY, KEY)
    after, less, metrics = update(agent, batch, (state, state), centred.discriminator, STEADY, KEY)
    centre = after["centre"].model.value
    assert float(jnp.mean(less)) == pytest.approx(0.0, abs=1e-6)
    assert float(metrics["reward"]) == pytest.approx(float(centre), rel=1e-6)
    np.testing.assert_allclose(usual - less, centre, rtol=1e-5)
    none = (batch, jnp.zeros(16), lambda: jnp.zeros(16))
    ends = float(end_value(agent, *none, plain)) - float(end_value(after, *none, centred))
    assert ends == pytest.approx(float(centre) / (1 - plain.critic.gamma), rel=1e-4)


@pytest.mark.parametrize("scale", [0.1, 10.0])
def test_a_reward_in_its_own_deviations_has_the_deviation_asked_for(scale: float) -> None:
    shape = Shape(PLAIN, 1, PLAIN, (0, 1))
    state, next_state = jax.random.normal(KEY, (2, 16, 2))
    batch = Transitions(state, jnp.zeros((16, 1)), next_state, jnp.zeros(16), jnp.zeros(16, bool))
    s = gaifo(reward_scale=scale, reward_centre=1.0, reward_spread=1.0)
    agent: Agent = new_discriminator(KEY, shape, s, STEADY)
    after, reward, _ = update_reward(agent, batch, (state, state), s.discriminator, STEADY, KEY)
    assert float(jnp.mean(reward)) == pytest.approx(0.0, abs=1e-5)
    assert float(jnp.std(reward)) == pytest.approx(scale, rel=1e-4)
    again = discriminator_reward(after, state, next_state, s.discriminator)
    np.testing.assert_allclose(again, reward, rtol=1e-4, atol=1e-5)


def test_the_reward_is_clipped_shifted_and_scaled() -> None:
    s = gaifo(reward="log-d", logit_clip=10.0, reward_shift=10.0, reward_scale=2.0).discriminator
    low = float(reward_of(jnp.asarray(-1e9), s))
    assert low == pytest.approx(2 * (10 + float(adversarial_reward.log_d(jnp.asarray(-10.0)))))
    assert float(reward_of(jnp.asarray(1e9), s)) == pytest.approx(20.0, abs=1e-3)


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

"""Rewards by the discriminator: their bounds, mean and deviation."""

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
    discriminator_reward,
    end_value,
    new_discriminator,
    reward_of,
    update_reward,
)
from depo.methods.settings_tree import with_values
from depo.models.normaliser import Normaliser

KEY = jax.random.key(0)
PLAIN = Normaliser.none(2)


def gaifo(**changes: object) -> OffPolicyGAIfO:
    return with_values(OffPolicyGAIfO(), changes)


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
    none = (batch, jnp.zeros(16), (state, state), lambda state, draw: jnp.zeros(16))
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

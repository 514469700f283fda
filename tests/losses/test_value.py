"""Advantages by their definition, and values that are learned."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depo.losses import (
    value,
)
from depo.models.critic import Critic
from tests.support.descent import minimise

ADVANTAGES = jax.jit(value.advantages, static_argnums=(5, 6))


@given(st.integers(0, 2**31 - 1))
def test_advantages_by_the_definition(seed: int) -> None:
    """A_t = Σ_l (γλ)^l δ_{t+l} up to the end of the episode, written as a double loop."""
    g = np.random.default_rng(seed)
    time, copies, gamma, trace = 6, 2, 0.9, 0.8
    reward, now, after = g.normal(size=(3, time, copies)).astype(np.float32)
    terminated = g.random((time, copies)) < 0.2
    truncated = (g.random((time, copies)) < 0.2) & ~terminated
    arrays = [jnp.asarray(x) for x in (reward, now, after, terminated, truncated)]
    result = np.asarray(ADVANTAGES(*arrays, gamma, trace))
    delta = reward + gamma * after * ~terminated - now
    for c in range(copies):
        for t in range(time):
            total, factor = 0.0, 1.0
            for u in range(t, time):
                total += factor * delta[u, c]
                factor *= gamma * trace
                if terminated[u, c] or truncated[u, c]:
                    break
            assert result[t, c] == pytest.approx(total, abs=1e-4)


def test_equal_advantages_standardise_to_zero_not_nan() -> None:
    np.testing.assert_array_equal(value.standardise(jnp.full(4, 3.0)), np.zeros(4))


def test_the_critic_learns_its_targets() -> None:
    critic = minimise(
        Critic(KEY, 3, (16,)),
        lambda v: value.loss(v, jnp.array([0, 1, 2]), jnp.array([1.0, -2.0, 0.5])),
    )
    np.testing.assert_allclose(critic(jnp.arange(3)), [1, -2, 0.5], atol=0.05)


KEY = jax.random.key(0)

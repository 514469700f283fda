"""The reward of steps between finite states, and of ends."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from depo.data.transitions import Rollout
from depo.methods.on_policy.settings import Discriminator
from depo.methods.on_policy.steps import adversarial_rewards
from depo.models.discriminator import Discriminator as Model

GOAL, HOLE = 3, 2


def reward_of(*reached: int, ended: bool = True) -> list[float]:
    """With a discriminator that tells nothing, where the expert goes 0 → 1 → 3."""
    after = jnp.array([reached])
    whole = jnp.zeros_like(after)
    flags = jnp.full(after.shape, ended)
    rollout = Rollout(whole, whole, whole, after, whole.astype(float), flags, ~flags)
    expert = (jnp.array([0, 1]), jnp.array([1, GOAL]))
    undecided = jax.tree.map(jnp.zeros_like, Model(jax.random.key(0), 4, (8,)))
    rewards = adversarial_rewards(undecided, rollout, expert, Discriminator(), 0.9)
    return np.asarray(rewards)[0].tolist()


def test_falling_costs_for_ever_what_arriving_costs_once() -> None:
    once = float(np.log(0.5))
    np.testing.assert_allclose(reward_of(GOAL, 1, HOLE), [once, once, 10 * once], rtol=1e-5)


def test_a_step_that_ends_nothing_is_a_step() -> None:
    np.testing.assert_allclose(reward_of(GOAL, HOLE, ended=False), [np.log(0.5)] * 2, rtol=1e-6)

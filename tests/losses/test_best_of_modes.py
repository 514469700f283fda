"""Heads, of which the best one counts."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from depo.losses import (
    best_of_modes,
    inverse_dynamics,
)
from depo.methods.optimisation import descend, fresh
from depo.models.normaliser import Normaliser
from depo.models.skill import VectorSkill

KEY = jax.random.key(0)
PLAIN = Normaliser.none(2)


def fitted(skill: VectorSkill, loss) -> float:
    """What a skill makes of a transition that two opposite actions have made, 3 : 2."""
    state = target = jnp.zeros((100, 2))
    action = jnp.where(jnp.arange(100) < 60, 0.6, -0.6)[:, None]
    trained = fresh(skill, optax.adam(1e-2))

    def of_batch(model: VectorSkill, batch) -> jax.Array:
        return loss(model, *batch)

    batches = jax.tree.map(lambda x: jnp.tile(x, (400, 1, 1)), (state, target, action))
    trained, _ = descend(trained, optax.adam(1e-2), of_batch, batches)
    return float(trained.model.mode(state, target)[0, 0])


def test_squared_error_averages_actions_of_one_effect_and_heads_do_not() -> None:
    one = VectorSkill(KEY, PLAIN, 1, (8,))
    two = VectorSkill(KEY, PLAIN, 1, (8,), modes=2)
    assert fitted(one, inverse_dynamics.squared) == pytest.approx(0.12, abs=0.01)
    # The commoner action; the share that keeps heads alive pulls it to the mean by a fortieth.
    pulled = 0.6 - 0.48 * 0.025 * 0.4 / (0.95 * 0.6 + 0.025)
    assert fitted(two, best_of_modes.loss) == pytest.approx(pulled, abs=0.02)


def test_the_loss_of_heads_by_hand() -> None:
    skill = VectorSkill(KEY, PLAIN, 1, (8,), modes=2)
    state, action = jnp.ones((1, 2)), jnp.array([[0.5]])
    (heads, gate) = skill.heads(state, state)
    error = (np.tanh(np.asarray(heads))[0, :, 0] - 0.5) ** 2
    share = np.exp(np.asarray(gate)[0]) / np.exp(np.asarray(gate)[0]).sum()
    near = int(np.argmin(error))
    expected = 0.95 * error.min() + 0.05 * error.mean() - 0.1 * np.log(share[near])
    found = best_of_modes.loss(skill, state, state, action)
    np.testing.assert_allclose(found, expected, rtol=1e-5)

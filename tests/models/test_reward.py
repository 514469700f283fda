"""A reward is a folder that loads as it was."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import depo
from depo.models.card import Origin
from depo.models.normaliser import Normaliser
from depo.models.reward import StateReward

STATES = jax.random.normal(jax.random.key(1), (5, 2))


def test_a_reward_loads_as_it_was_saved(tmp_path: Path) -> None:
    normaliser = Normaliser(jnp.array([1.0, 2.0]), jnp.array([3.0, 4.0]), clip=5.0)
    reward = StateReward(jax.random.key(0), normaliser, (8, 8), gamma=0.9)
    folder = depo.save_reward(tmp_path / "reward", reward, Origin(features=("x", "y")))
    again = depo.load_reward(folder)
    np.testing.assert_array_equal(again(STATES), reward(STATES))
    np.testing.assert_array_equal(
        again.shaped(STATES, STATES + 1), reward.shaped(STATES, STATES + 1)
    )
    assert "airl-transfer --reward-from" in (folder / "card.md").read_text()
    with pytest.raises(depo.DepoError, match="holds a reward, not a planner"):
        depo.load_planner(folder)

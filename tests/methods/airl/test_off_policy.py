"""The expert walks right, half a step each time: so does who learns the reward of it, and who is
given that reward where actions are reversed."""

from __future__ import annotations

from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

import depo
from depo.methods.airl import GivenReward
from depo.methods.off_policy.steps import follow_reward, nothing_usual
from depo.runs.run import Run
from tests.environments.point import ID
from tests.support.arguments import flat
from tests.support.runs import mean_action, resumes_exactly, train
from tests.support.settings import ADVERSARIAL, IMITATION, SHORT, SMALL

RATES = {"actor_rate": 3e-3, "critic_rate": 3e-3}


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Run:
    folder = tmp_path_factory.mktemp("airl")
    return train("airl", folder, steps=3_000, **IMITATION, **ADVERSARIAL)


@pytest.mark.slow
def test_a_reward_that_explains_the_expert_teaches_its_actions(source: Run) -> None:
    assert mean_action(source) == pytest.approx([0.6, 0.0], abs=0.3)
    reward = depo.load_reward(source.path / "reward" / "seed-0")
    right = jnp.array([[x, 0.0] for x in np.linspace(-0.5, 1.0, 4)], jnp.float32)
    assert (
        reward.shaped(right, right + jnp.array([0.05, 0.0])).mean()
        > reward.shaped(right, right - jnp.array([0.05, 0.0])).mean()
    )


def test_a_reward_that_is_given_counts_in_units_of_its_own() -> None:
    units = GivenReward(reward_scale=0.2, reward_centre=1.0, reward_spread=1.0)
    given = jnp.array([-1.0, 0.0, 4.0])
    for reward in (given, 50.0 + 100.0 * given):
        _, counted, _ = follow_reward(nothing_usual(units), units.reward_scale * reward, units)
        np.testing.assert_allclose(counted, 0.2 * (given - 1) / np.sqrt(14 / 3), rtol=1e-4)


@pytest.mark.slow
def test_a_reward_is_carried_to_reversed_actions(source: Run, tmp_path: Path) -> None:
    arguments = flat(steps=3_000, **SMALL, **RATES)
    moved = depo.train(
        "airl-transfer",
        env=ID,
        dynamics="inverted",
        reward_from=source,
        out=tmp_path / "run",
        **arguments,
    )
    assert mean_action(moved)[0] < -0.25  # which is to the right


@pytest.mark.slow
def test_it_resumes_exactly(tmp_path: Path) -> None:
    assert resumes_exactly("airl", tmp_path, **IMITATION | SHORT)

"""A reward is taken where it fits, and told why where it does not."""

from __future__ import annotations

from pathlib import Path

import jax
import pytest

import depo
from depo.api import make_job
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.models.card import Origin
from depo.models.normaliser import Normaliser
from depo.models.reward import StateReward
from depo.runs.rewards import given_reward
from depo.runs.training import begin
from tests.environments.point import ID


def saved(folder: Path, states: int, **origin) -> Path:
    reward = StateReward(jax.random.key(0), Normaliser.none(states), (8,), 0.9)
    return depo.save_reward(folder, reward, Origin(environment="elsewhere", **origin))


def test_a_reward_of_other_states_is_refused(tmp_path: Path) -> None:
    here = GymnasiumEnvironment(ID)
    with pytest.raises(depo.DepoError, match=r"of 3-dimensional states .elsewhere.*2-dimensional"):
        given_reward(str(saved(tmp_path / "three", 3)), 0, here)
    with pytest.raises(depo.DepoError, match="is not a reward folder"):
        given_reward(str(tmp_path), 0, here)
    assert given_reward(str(saved(tmp_path / "two", 2)), 7, here).gamma == 0.9


def test_only_the_method_that_takes_a_reward_takes_one(tmp_path: Path) -> None:
    with pytest.raises(depo.DepoError, match="name its run or folder, --reward-from RUN"):
        begin(make_job("airl-transfer", env=ID), tmp_path / "run")
    with pytest.raises(depo.DepoError, match="sac takes no reward, airl-transfer does"):
        make_job("sac", env=ID, reward_from="runs/airl")


def test_a_run_keeps_the_reward_it_was_given(tmp_path: Path) -> None:
    source = saved(tmp_path / "reward", 2)
    job = make_job("airl-transfer", env=ID, reward_from=source, overrides={"hidden": 8})
    run = begin(job, tmp_path / "run")
    source.rename(tmp_path / "gone")
    kept = depo.load_reward(run.path / "reward" / "seed-0")
    assert kept.normaliser.mean.shape == (2,)
    assert given_reward(str(run.path), 0, GymnasiumEnvironment(ID)).gamma == 0.9
    with pytest.raises(depo.DepoError, match="has rewards for seed-0, none for seed 3"):
        given_reward(str(run.path), 3, GymnasiumEnvironment(ID))
    with pytest.raises(depo.DepoError, match="no planner but a reward: 'depo train airl-transfer"):
        depo.transfer(run, env=ID, out=tmp_path / "transfer")

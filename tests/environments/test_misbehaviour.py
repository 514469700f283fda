"""An interface that is not Gymnasium's is named, before and while steps are taken."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from depo.core.errors import DepoError
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from tests.environments.point import Point


class ResetAsBefore(Point):
    def reset(self, seed=None):
        return super().reset(seed=seed)[0]


class ResetWithoutInformation(Point):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed)[0]


class StepAsBefore(Point):
    def step(self, action):
        state, reward, ended, _, about = super().step(action)
        return state, reward, ended, about


class LongerThanSaid(Point):
    def step(self, action):
        state, *rest = super().step(action)
        return np.append(state, 0.0), *rest


class SeveralRewards(Point):
    def step(self, action):
        state, _, *rest = super().step(action)
        return state, np.zeros(2), *rest


class NoInformation(Point):
    def step(self, action):
        return *super().step(action)[:4], None


class RewardInWords(Point):
    def step(self, action):
        state, _, *rest = super().step(action)
        return state, "good", *rest


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (NoInformation, r"its step returns a NoneType as information: return a dict, \{\}"),
        (RewardInWords, r"its step returns the reward 'good': a reward is a number"),
        (ResetAsBefore, r"its reset takes no 'options': write reset\(self, \*, seed=None"),
        (ResetWithoutInformation, r"its reset returns a ndarray: return \(observation, info\)"),
        (StepAsBefore, "its step returns 4 values: return .*terminated, truncated, info"),
        (LongerThanSaid, r"the shape \(3,\), its observation_space \(2,\): make them agree"),
        (SeveralRewards, r"a reward of shape \(2,\): return one number"),
    ],
)
@pytest.mark.filterwarnings("ignore")  # Gymnasium's own, of the same
def test_what_is_not_as_gymnasium_has_it_is_named(kind: type[gym.Env], message: str) -> None:
    environment = GymnasiumEnvironment(f"{__name__}:{kind.__name__}")

    def go() -> None:
        environment.first_state()  # which looks at no step
        envs = environment.vector(1)
        envs.reset([0])
        envs.step(np.zeros((1, 2), np.float32))

    with pytest.raises(DepoError, match=f"is not as Gymnasium has it: .*{message}"):
        go()

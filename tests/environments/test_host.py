from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from depo.environments.host import HostEnvironment
from depo.errors import DepoError


class Corridor(gym.Env):
    """States 0..4; action 1 moves right, 4 terminates; cut after 6 steps; may misbehave."""

    observation_space = gym.spaces.Discrete(5)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, fault: str = ""):
        self.fault = fault

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state, self.elapsed = 0, 0
        return np.int64(0), {}

    def step(self, action):
        if self.fault == "raises":
            raise RuntimeError("the motor is on fire")
        self.state += int(action)
        self.elapsed += 1
        reward = float("nan") if self.fault == "nan" else 1.0
        return np.int64(self.state), reward, self.state == 4, self.elapsed >= 6, {}


gym.register("depo-test/Corridor-v0", entry_point=Corridor)
ID = f"{__name__}:depo-test/Corridor-v0"


def test_no_transition_crosses_a_reset() -> None:
    envs = HostEnvironment(ID).vector(3)
    state = envs.reset([1, 2, 3])
    generator = np.random.default_rng(0)
    ends = 0
    for _ in range(40):
        action = generator.integers(2, size=3)
        after, reached, _, terminated, truncated = envs.step(action)
        np.testing.assert_array_equal(reached, state + action)
        ended = terminated | truncated
        assert (after[ended] == 0).all()
        ends += ended.sum()
        state = after
    assert ends > 5
    envs.close()


def test_a_third_party_environment_is_imported_by_name() -> None:
    assert HostEnvironment(ID).finite_sizes() == (5, 2)


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        (HostEnvironment("CliffWalkin-v1"), "did you mean 'CliffWalking-v1'"),
        (HostEnvironment("CartPole-v1"), "state space Box"),
        (HostEnvironment("no_such_module:Some-v0"), "cannot import 'no_such_module'"),
        (HostEnvironment(ID, {"colour": "red"}), "cannot be made"),
    ],
)
def test_an_environment_that_does_not_fit_is_refused(environment, message: str) -> None:
    with pytest.raises(DepoError, match=message):
        environment.finite_sizes()


@pytest.mark.parametrize(("fault", "message"), [("nan", "reward nan"), ("raises", "on fire")])
def test_a_misbehaving_simulator_gets_a_sentence(fault: str, message: str) -> None:
    envs = HostEnvironment(ID, {"fault": fault}).vector(2)
    envs.reset([0, 1])
    with pytest.raises(DepoError, match=message):
        envs.step(np.zeros(2, int))

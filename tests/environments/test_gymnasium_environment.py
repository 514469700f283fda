from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from depo.core.errors import DepoError
from depo.environments.gymnasium_environment import TIME_LIMIT, GymnasiumEnvironment
from tests.environments.point import ID, STEP


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


gym.register("depo-test/HostCorridor-v0", entry_point=Corridor)
CORRIDOR = f"{__name__}:depo-test/HostCorridor-v0"


def handed(mass):
    """Makes nothing without an argument."""


def test_no_transition_crosses_a_reset() -> None:
    envs = GymnasiumEnvironment(CORRIDOR).vector(3)
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


def test_finite_states_without_a_time_limit_are_cut_as_vectors_are() -> None:
    endless = GymnasiumEnvironment("CliffWalking-v1").vector(2)
    endless.reset([0, 1])
    cuts = [endless.step(np.array([3, 3]))[4].all() for _ in range(TIME_LIMIT)]  # against the wall
    endless.close()
    assert cuts == [False] * (TIME_LIMIT - 1) + [True]


def test_a_third_party_environment_is_imported_by_name() -> None:
    assert GymnasiumEnvironment(CORRIDOR).finite_sizes() == (5, 2)


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        (GymnasiumEnvironment("CliffWalkin-v1"), "did you mean 'CliffWalking-v1'"),
        (GymnasiumEnvironment("CartPole-v1"), "state space Box"),
        (GymnasiumEnvironment("no_such_module:Some-v0"), "cannot import 'no_such_module'"),
        (GymnasiumEnvironment(CORRIDOR, {"colour": "red"}), "cannot be made"),
        (GymnasiumEnvironment(f"{__name__}:handed"), "missing .* 'mass'.*; --env-args NAME=VALUE"),
    ],
)
def test_an_environment_that_does_not_fit_is_refused(environment, message: str) -> None:
    with pytest.raises(DepoError, match=message):
        environment.finite_sizes()


@pytest.mark.parametrize(("fault", "message"), [("nan", "reward nan"), ("raises", "on fire")])
def test_a_misbehaving_simulator_gets_a_sentence(fault: str, message: str) -> None:
    envs = GymnasiumEnvironment(CORRIDOR, {"fault": fault}).vector(2)
    envs.reset([0, 1])
    with pytest.raises(DepoError, match=message):
        envs.step(np.zeros(2, int))


def test_actions_are_presented_between_minus_one_and_one() -> None:
    env = GymnasiumEnvironment(ID, {"actions": "wide"}).make()
    before, _ = env.reset(seed=1)
    after, *_ = env.step(np.array([-1.0, 1.0], np.float32))
    np.testing.assert_allclose(after - before, STEP * np.array([-3.0, 5.0]), atol=1e-6)


def test_actions_are_told_in_the_environments_own_units() -> None:
    units = np.array([[-1.0, 1.0], [0.0, 0.0]], np.float32)
    wide = GymnasiumEnvironment(ID, {"actions": "wide"})
    np.testing.assert_allclose(wide.native_actions(units), [[-3.0, 5.0], [1.0, 1.0]], atol=1e-6)
    changed = GymnasiumEnvironment(ID, {"actions": "wide"}, dynamics="inverted")
    assert changed.native_actions(units) is units


def test_actions_of_several_axes_are_one_vector() -> None:
    host = GymnasiumEnvironment(ID, {"actions": "square"})
    assert host.vector_sizes().actions == 2
    env = host.make()
    before, _ = env.reset(seed=1)
    after, *_ = env.step(np.array([-1.0, 1.0], np.float32))
    np.testing.assert_allclose(after - before, STEP * np.array([-1.0, 1.0]), atol=1e-6)


def test_no_transition_of_vectors_crosses_a_reset_and_ignored_ends_are_none() -> None:
    for ignore in (False, True):
        envs = GymnasiumEnvironment(ID, ignore_termination=ignore).vector(2)
        state = envs.reset([3, 4])
        ended_early = cuts = 0
        for _ in range(130):
            action = np.array([[1.0, 0.0], [-1.0, 0.0]], np.float32)
            after, reached, _, terminated, truncated = envs.step(action)
            np.testing.assert_allclose(reached, state + STEP * action, atol=1e-5)
            ended_early += terminated.sum()
            cuts += truncated.sum()
            state = after
        envs.close()
        assert cuts > 0
        assert (ended_early == 0) == ignore


def test_memory_appends_the_state_before() -> None:
    envs = GymnasiumEnvironment(ID, remember=True).vector(1)
    state = envs.reset([5])
    np.testing.assert_array_equal(state[:, :2], state[:, 2:])
    for _ in range(90):
        after, reached, _, terminated, truncated = envs.step(np.ones((1, 2), np.float32))
        np.testing.assert_allclose(reached[:, 2:], state[:, :2])
        if terminated | truncated:
            np.testing.assert_array_equal(after[:, :2], after[:, 2:])
        state = after
    envs.close()


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ("tuple", r"takes a Box, Discrete, .*ActionWrapper can make one of it"),
        ("many", r"1,024 different actions.* takes at most 64; offer fewer"),
        ("unbounded", r"finite bounds, as of .*TransformAction.*Box\(-1, 1, \(2,\)\)"),
        ("largest", "finite bounds"),
        ("fixed", "number 1 of an action can only be 0, offer the others"),
        ("whole", "whole numbers, the off-policy learner takes real ones"),
    ],
)
def test_action_spaces_that_cannot_be_learned_are_refused(actions: str, message: str) -> None:
    with pytest.raises(DepoError, match=message):
        GymnasiumEnvironment(ID, {"actions": actions}).vector_sizes()


@pytest.mark.parametrize(
    ("fault", "message"), [("nan", "observation nan in feature 0"), ("raises", "motor is on fire")]
)
def test_a_misbehaving_simulator_of_vectors_gets_a_sentence(fault: str, message: str) -> None:
    envs = GymnasiumEnvironment(ID, {"fault": fault, "after": 2}).vector(1)
    envs.reset([0])
    still = np.zeros((1, 2), np.float32)
    envs.step(still)
    envs.step(still)
    with pytest.raises(DepoError, match=message):
        envs.step(still)
    envs.close()

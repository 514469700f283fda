"""Simulators that can be put into what an environment shows."""

from __future__ import annotations

import numpy as np
import pytest

from depo.analysis.simulator import Simulator
from depo.environments.by_name import named_environment
from depo.environments.gymnasium_environment import GymnasiumEnvironment

HOPPER = named_environment("hopper").gymnasium()
SWIMMER = GymnasiumEnvironment("Swimmer-v5")


def test_only_those_that_show_their_pose_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Simulator.of(SWIMMER, 8) is not None
    assert Simulator.of(GymnasiumEnvironment("Reacher-v5"), 10) is None  # cosines and sines
    assert Simulator.of(GymnasiumEnvironment("CartPole-v1"), 4) is None
    assert Simulator.of(HOPPER, 10) is None
    own = "gymnasium.envs.mujoco.mujoco_env.MujocoEnv.set_state"
    monkeypatch.setattr(own, lambda *pose: None)
    assert Simulator.of(SWIMMER, 8) is None  # a step that is done twice leads elsewhere


def test_a_step_is_done_again_and_an_impossible_one_is_not() -> None:
    env, simulator = SWIMMER.make(), Simulator.of(SWIMMER, 8)
    assert simulator is not None
    state, _ = env.reset(seed=3)
    reached, reward, *_ = env.step(np.array([0.7, -0.4], np.float32))
    env.close()
    again, left = simulator.again(state, reached, np.ones(8))
    assert left < 0.01
    assert again == pytest.approx(reward, abs=0.01)
    assert simulator.again(state, reached + 5.0, np.ones(8))[1] > 0.5
    simulator.close()


def test_joints_know_their_features() -> None:
    slim = {"include_cfrc_ext_in_observation": False}
    ant = Simulator.of(GymnasiumEnvironment("Ant-v5", slim), 27)
    assert ant is not None
    root, hip, *_ = ant.joints
    ant.close()
    assert root.positions == (0, 1, 2, 3, 4)
    assert root.quaternion == (1, 2, 3, 4)
    assert (hip.positions, hip.velocities) == ((5,), (19,))

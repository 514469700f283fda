"""Driving as Gymnasium environments: one copy, and many as one."""

from __future__ import annotations

import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import depo  # noqa: F401  (registers the environment)
from depo.core.errors import DepoError
from depo.driving.settings import ID
from depo.environments.gymnasium_environment import GymnasiumEnvironment

DT = 0.1


def test_the_gymnasium_face_passes_the_checker(recording_file: str) -> None:
    env = gym.make(ID, recording=recording_file, part="test").unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*infinity.*")
        check_env(env, skip_render_check=True)


def test_the_face_can_be_told_whose_place_to_take(recording_file: str) -> None:
    env = gym.make(ID, recording=recording_file, part="all")
    vehicle = int(env.unwrapped.environment.choice[3])
    _, info = env.reset(seed=0, options={"vehicle": vehicle})
    assert info["vehicle"] == vehicle
    _, reward, ended, cut, info = env.step(np.zeros(2, np.float32))
    assert (reward, ended, cut) == (0.0, False, False)
    assert {info[flag] for flag in ("arrived", "collided", "off_road")} == {False}
    with pytest.raises(DepoError, match="vehicle 99999 is not in the recording"):
        env.reset(options={"vehicle": 99999})
    outside = int(np.flatnonzero(~np.asarray(env.unwrapped.environment.scene.drivable))[0])
    with pytest.raises(DepoError, match=f"vehicle {outside} is not seen entering the zone"):
        env.reset(options={"vehicle": outside})


def test_hundreds_of_copies_are_stepped_as_one_and_follow_their_seeds(recording_file: str) -> None:
    host = GymnasiumEnvironment(ID, {"recording": recording_file, "horizon": 40, "part": "all"})
    assert host.vector_sizes() == (28, 2, ())
    envs = host.vector(200)
    assert isinstance(envs._envs.unwrapped, gym.vector.VectorEnv)
    assert not isinstance(envs._envs, gym.vector.SyncVectorEnv)
    first = envs.reset(range(200))
    np.testing.assert_array_equal(first, envs.reset(range(200)))
    np.testing.assert_array_equal(first[::-1], envs.reset(range(200)[::-1]))
    assert (first != envs.reset(range(200, 400))).any()
    state = envs.reset(range(200))
    ends = cuts = 0
    for _ in range(60):
        after, reached, reward, terminated, truncated = envs.step(np.zeros((200, 2), np.float32))
        np.testing.assert_allclose(reached[:, 0] - state[:, 0], DT * state[:, 2], atol=1e-3)
        ends, cuts = ends + terminated.sum(), cuts + truncated.sum()
        assert set(reward) <= {0.0, 1.0}
        state = after
    envs.close()
    assert cuts > 0


def test_one_copy_drives_as_the_single_environment_does(recording_file: str) -> None:
    settings = {"recording": recording_file, "part": "all", "horizon": 40}
    one = gym.make(ID, **settings).unwrapped
    many = gym.make_vec(ID, num_envs=200, **settings)
    states, _ = many.reset(seed=list(range(200)))
    vehicles = np.asarray(many.unwrapped._ego.vehicle)
    state, _ = one.reset(options={"vehicle": int(vehicles[1])})
    np.testing.assert_array_equal(state, states[1])
    for t in range(30):
        action = np.array([0.2 * np.sin(t), 0.01], np.float32)
        state = one.step(action)[0]
        states = many.step(np.tile(action, (200, 1)))[0]
        np.testing.assert_allclose(state, states[1], atol=1e-4)

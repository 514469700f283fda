from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from depo.environments.host import HostEnvironment
from depo.environments.mujoco import hear_warnings
from depo.errors import DepoError
from tests.environments.point import ID, STEP


def test_actions_are_presented_between_minus_one_and_one() -> None:
    env = HostEnvironment(ID, {"actions": "wide"}).make()
    before, _ = env.reset(seed=1)
    after, *_ = env.step(np.array([-1.0, 1.0], np.float32))
    np.testing.assert_allclose(after - before, STEP * np.array([-3.0, 5.0]), atol=1e-6)


def test_actions_are_told_in_the_environments_own_units() -> None:
    units = np.array([[-1.0, 1.0], [0.0, 0.0]], np.float32)
    wide = HostEnvironment(ID, {"actions": "wide"})
    np.testing.assert_allclose(wide.native_actions(units), [[-3.0, 5.0], [1.0, 1.0]], atol=1e-6)
    changed = HostEnvironment(ID, {"actions": "wide"}, dynamics="inverted")
    assert changed.native_actions(units) is units


def test_actions_of_several_axes_are_one_vector() -> None:
    host = HostEnvironment(ID, {"actions": "square"})
    assert host.vector_sizes().actions == 2
    env = host.make()
    before, _ = env.reset(seed=1)
    after, *_ = env.step(np.array([-1.0, 1.0], np.float32))
    np.testing.assert_allclose(after - before, STEP * np.array([-1.0, 1.0]), atol=1e-6)


def test_a_mujoco_that_cannot_be_loaded_gets_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mujoco.py").write_text("raise RuntimeError('invalid value: bad')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "mujoco", raising=False)
    monkeypatch.setenv("MUJOCO_GL", "bad")
    with pytest.raises(DepoError, match=r"MUJOCO_GL=bad .*invalid value.*unset it"):
        hear_warnings()


def test_no_transition_crosses_a_reset_and_ignored_ends_are_none() -> None:
    for ignore in (False, True):
        envs = HostEnvironment(ID, ignore_termination=ignore).vector(2)
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
    envs = HostEnvironment(ID, remember=True).vector(1)
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
        ("discrete", "takes a Box only"),
        ("unbounded", "finite bounds"),
        ("whole", "whole numbers, the off-policy learner takes real ones"),
    ],
)
def test_action_spaces_that_cannot_be_learned_are_refused(actions: str, message: str) -> None:
    with pytest.raises(DepoError, match=message):
        HostEnvironment(ID, {"actions": actions}).vector_sizes()


@pytest.mark.parametrize(
    ("fault", "message"), [("nan", "observation nan in feature 0"), ("raises", "motor is on fire")]
)
def test_a_misbehaving_simulator_gets_a_sentence(fault: str, message: str) -> None:
    envs = HostEnvironment(ID, {"fault": fault, "after": 2}).vector(1)
    envs.reset([0])
    still = np.zeros((1, 2), np.float32)
    envs.step(still)
    envs.step(still)
    with pytest.raises(DepoError, match=message):
        envs.step(still)
    envs.close()

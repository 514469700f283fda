"""What an environment tells an import."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
import pytest

import depo
from depo.core.errors import DepoError
from depo.environments.recordings import facts_of
from tests.support import reach
from tests.support.recordings import write_csv


class Silent(gym.Env):
    """Says nothing of its step."""

    observation_space = gym.spaces.Box(-1, 1, (2,), np.float64)
    action_space = gym.spaces.Box(-1, 1, (1,), np.float32)


@pytest.mark.parametrize(
    ("env", "step", "dimension"),
    [("hopper", 0.008, 11), ("CartPole-v1", 0.02, 4), ("FrozenLake-v1", 0.25, None)],
)
def test_step_and_length_of_states(env: str, step: float, dimension: int | None) -> None:
    facts = facts_of(env)
    assert (facts.step, facts.dimension) == (pytest.approx(step), dimension)


def test_recordings_come_at_the_environments_step(tmp_path: Path) -> None:
    time = np.arange(200) * 0.01
    path = write_csv(tmp_path / "a.csv", {"t": time, "x": time, "y": -time, "z": 0 * time})
    found = depo.import_recordings(path, tmp_path / "a.npz", env="Pendulum-v1")
    demos = found.demonstrations()
    np.testing.assert_allclose(np.diff(demos.observations[:, 0]), 0.05, atol=1e-6)
    assert demos.metadata["environment"] == "Pendulum-v1"
    assert found.time_step == 0.05
    with pytest.raises(
        DepoError, match="Pendulum-v1 has states of 3 numbers, the recordings give 2"
    ):
        depo.import_recordings(path, tmp_path / "b.npz", env="Pendulum-v1", columns=["x", "y"])


def test_an_environment_with_finite_states_wants_such(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", {"cell": np.arange(12)})
    found = depo.import_recordings(path, tmp_path / "a.npz", env="FrozenLake-v1")
    assert found.demonstrations().is_finite


def test_an_environment_that_does_not_say_its_step(tmp_path: Path) -> None:
    path = write_csv(
        tmp_path / "a.csv", {"t": np.arange(30) * 0.1, "x": np.zeros(30), "y": np.zeros(30)}
    )
    with pytest.raises(DepoError, match=r"long a step is .*: say it by --hz, or leave --env out"):
        depo.import_recordings(path, tmp_path / "a.npz", env=Silent)
    found = depo.import_recordings(path, tmp_path / "a.npz", env=Silent, hz=5.0)
    assert found.time_step == 0.2


def test_the_environment_says_what_it_calls_its_numbers(tmp_path: Path) -> None:
    columns = {"t": np.arange(30) * 0.1, "a": np.zeros(30), "b": np.zeros(30)}
    path, out = write_csv(tmp_path / "a.csv", columns), tmp_path / "a.npz"
    env = f"{reach.__name__}:make_reach"
    with pytest.raises(DepoError, match=r"has states of 6 numbers \(achieved_goal.x0, .*give 2"):
        depo.import_recordings(path, out, env=env, hz=10.0)
    found = depo.import_recordings(path, out, env=env, hz=10.0, observe="observation")
    assert "the same are observation.x0 = a, observation.x1 = b" in found.reports[0].notes[-1]
    named = ["observation.x0=a", "observation.x1=b"]
    same = depo.import_recordings(path, out, env=env, hz=10.0, observe="observation", columns=named)
    assert not any("taken for the same" in note for note in same.reports[0].notes)


class Compass(gym.Env):
    """A heading in one turn, and a speed; a step takes ten seconds."""

    metadata: ClassVar[dict[str, Any]] = {"feature_names": ("heading", "speed")}
    dt = 10.0
    observation_space = gym.spaces.Box(np.array([-np.pi, -9]), np.array([np.pi, 9]), dtype=float)
    action_space = gym.spaces.Box(-1, 1, (1,), np.float32)


def test_an_angle_comes_in_the_range_that_it_has_in_the_environment(tmp_path: Path) -> None:
    turned = np.arange(40) * 20.0
    columns = {"seconds": np.arange(40) * 10, "speed": turned, "heading_deg": turned % 360}
    path, out = write_csv(tmp_path / "a.csv", columns), tmp_path / "a.npz"
    found = depo.import_recordings(path, out, env=Compass)
    states = found.demonstrations().observations
    assert found.names == ("heading", "speed")
    expected = np.angle(np.exp(1j * np.deg2rad(turned)))
    np.testing.assert_allclose(np.exp(1j * states[:, 0]), np.exp(1j * expected), atol=1e-5)
    assert np.abs(states[:, 0]).max() <= np.pi + 1e-6
    assert any("range of one turn" in note for note in found.reports[0].notes)
    free = ["heading:angle", "speed"]
    own = depo.import_recordings(path, out, env=Compass, columns=free).demonstrations()
    np.testing.assert_allclose(own.observations[:, 0], np.deg2rad(turned), atol=1e-4)


def test_times_without_a_unit_are_seconds_where_rows_are_then_a_step_apart(tmp_path: Path) -> None:
    columns = {"t": np.arange(40) * 10, "heading": np.zeros(40), "speed": np.arange(40.0)}
    path = write_csv(tmp_path / "a.csv", columns)
    found = depo.import_recordings(path, tmp_path / "a.npz", env=Compass)
    assert found.demonstrations().observations.shape == (40, 2)
    assert found.reports[0].recorded_hz == pytest.approx(0.1)

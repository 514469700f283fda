from __future__ import annotations

import json
import threading
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import TimeLimit

import depo
from depo.api import make_job
from depo.driving.settings import DrivingSettings
from depo.environments.given import environment_of, is_given
from depo.environments.grid.gridworld import GridWorldSettings
from depo.runs.training import begin
from tests.environments.point import ID, Point

TINY = {"hidden": 8, "batch_steps": 64, "evaluate_every": 1, "checkpoint_every": 1}
WALKS = depo.Demonstrations.from_episodes([[0, 1, 2, 3]] * 3)


class Row(gym.Env):
    """Four cells in a row."""

    observation_space = gym.spaces.Discrete(4)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cell = 0
        return self.cell, {}

    def step(self, action):
        self.cell = min(max(self.cell + (1 if action else -1), 0), 3)
        return self.cell, 0.0, self.cell == 3, False, {}


def short_row() -> gym.Env:
    return TimeLimit(Row(), 9)


class Locked(Row):
    def __init__(self) -> None:
        self.lock = threading.Lock()


@pytest.mark.parametrize(
    ("env", "label"),
    [
        ("hopper", "hopper-v5"),
        (GridWorldSettings(k=4), "gridworld-6x6-k4"),
        (DrivingSettings(vehicle="truck"), "driving-v0"),
        (environment_of("hopper", dynamics="inverted"), "hopper-v5-inverted"),
    ],
)
def test_names_and_settings_are_environments(env, label: str) -> None:
    assert environment_of(env).label == label


def test_an_environment_of_gymnasium_is_known_by_its_id() -> None:
    made = environment_of(gym.make("FrozenLake-v1", is_slippery=False, render_mode="rgb_array"))
    assert made == environment_of("FrozenLake-v1", {"is_slippery": False})
    assert environment_of(gym.make("depo/GridWorld-v0", k=4)).settings == GridWorldSettings(k=4)
    assert is_given(environment_of(gym.make("FrozenLake-v1", max_episode_steps=3)).id)
    assert is_given(environment_of(TimeLimit(gym.make("FrozenLake-v1"), 3)).id)


@pytest.mark.parametrize(
    "env", [Row(), Row, lambda: TimeLimit(Row(), 9), gym.make("FrozenLake-v1")]
)
def test_objects_and_factories_make_fresh_environments(env) -> None:
    environment = environment_of(env).gymnasium()
    first, second = environment.make(), environment.make()
    first.reset(seed=0)
    second.reset(seed=0)
    first.step(1)
    assert first.unwrapped is not second.unwrapped
    assert environment.finite_sizes().states in (4, 16)


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("env", "sentence"),
    [
        (3, "give an id"),
        (lambda: 3, "makes a int"),
        (lambda: 1 / 0, "division by zero"),
        (Locked(), "give a function that makes one"),
    ],
)
def test_what_is_no_environment_gets_a_sentence(env, sentence: str) -> None:
    with pytest.raises(depo.DepoError, match=sentence):
        depo.train("ppo", env=env)


@pytest.mark.parametrize("space", ["observation_space", "action_space"])
def test_an_environment_without_spaces_gets_a_sentence(space: str) -> None:
    class Half(Point):
        def __init__(self) -> None:
            super().__init__()
            delattr(self, space)

    for env in (Half, Half()):
        with pytest.raises(
            depo.DepoError, match=f"has no {space}: give it one of gymnasium.spaces"
        ):
            make_job("sac", env=env)


@pytest.mark.wrong_types
def test_wrong_types_get_sentences(tmp_path: Path) -> None:
    for wrong, sentence in [
        ({"demos": 3}, "demos is a int"),
        ({"overrides": [1]}, "overrides is a list"),
        ({"settings": {"hidden": 8}}, "are not those of bco"),
        ({"env": Row(), "env_args": {"size": 3}}, "an object has its own"),
        ({"overrides": {"hiden": 8}}, "did you mean 'hidden'"),
    ]:
        with pytest.raises(depo.DepoError, match=sentence):
            depo.train("bco", out=tmp_path / "run", **wrong)


def test_a_run_in_an_object_asks_for_it_when_it_is_opened_elsewhere(tmp_path: Path) -> None:
    run = depo.train(
        "bco",
        env=short_row(),
        demos=WALKS,
        steps=128,
        overrides=TINY,
        callbacks=[depo.Call(lambda _: "enough")],
        out=tmp_path / "run",
    )
    about = json.loads((run.path / "settings.json").read_text())
    assert "row" in about["needs"]["env"]
    assert run.job.demos == "in memory"
    np.testing.assert_array_equal(run.demonstrations().observations, WALKS.observations)
    assert run.policy().act(0) in (0, 1)
    assert depo.evaluate(run.path, episodes=1)[0]["env_steps"] == 64  # the process still has it
    del gym.registry[run.job.environment.id]  # another one has not
    for call in (depo.resume, depo.evaluate):
        with pytest.raises(depo.DepoError, match=r"given as an object .* env=my_environment"):
            call(run.path)
    assert run.policy().act(0) in (0, 1)  # to act, nothing is opened
    assert depo.resume(run.path, env=short_row()).status() == "finished"
    assert depo.evaluate(run.path, episodes=1)[0]["env_steps"] == 128
    del gym.registry[run.job.environment.id]
    assert depo.evaluate(run, episodes=1, env=short_row)[0]["env_steps"] == 128


def test_a_run_that_opens_by_itself_takes_no_object(tmp_path: Path) -> None:
    run = depo.train("bco", env_args={"size": 3}, steps=64, overrides=TINY, out=tmp_path / "run")
    with pytest.raises(depo.DepoError, match="by itself: leave env out"):
        depo.resume(run, env=Row())


def test_vectors_keep_own_units_through_an_object() -> None:
    environment = environment_of(lambda: TimeLimit(Point(actions="wide"), 40)).gymnasium()
    assert environment.own_spaces()[1].high.tolist() == [5.0, 5.0]
    assert environment.vector_sizes().states == 2


def test_a_run_in_an_object_is_looked_at_with_it(tmp_path: Path) -> None:
    def point() -> gym.Env:
        return TimeLimit(Point(), 12)

    straight = [np.linspace((x, 0.0), (x + 1.0, 0.0), 11) for x in (0.0, 0.2, 0.4)]
    job = make_job(
        "depo",
        env=point,
        demos=(demos := depo.Demonstrations.from_episodes(straight)),
        overrides={"hidden": 8, "skill_hidden": 8},
    )
    run = begin(job, tmp_path / "run", demos)
    del gym.registry[run.job.environment.id]  # as in another process
    for call in (depo.imagine, depo.reachability, depo.record):
        with pytest.raises(depo.DepoError, match="given as an object"):
            call(run)
    assert depo.imagine(run, env=point, steps=3, starts=2).imagined.shape[:2] == (4, 2)
    assert depo.imagine(run.path, env=gym.make(ID), steps=3, starts=2).imagined.shape[1] == 2
    assert depo.record(run, env=point, episodes=2).episodes == 2
    assert depo.reachability(run, env=point, episodes=2).steps == 24
    with pytest.raises(depo.DepoError, match="this planner plans 36 finite states"):
        depo.imagine(begin(make_job("depo", steps=64), tmp_path / "grid"), env=short_row())

"""Imagined rollouts: errors and horizons that are known, poses that lead back, kind refusals."""

from __future__ import annotations

import json
from pathlib import Path

import jax
import numpy as np
import pytest

import depo
from depo.analysis.evaluate import load_policy
from depo.analysis.imagination import Imagination, Source, roll
from depo.analysis.imagine import imagine, open_source
from depo.api import make_job
from depo.data import Demonstrations
from depo.environments.by_name import named_environment
from depo.environments.grid.gridworld import GridWorldSettings
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.mujoco import TASKS
from depo.environments.mujoco_states import LOWEST, MujocoStates
from depo.models.card import Origin
from depo.models.folder import save_planner
from depo.plotting.imagined import draw_features
from depo.runs.training import begin
from tests.environments.point import ID, STEP, straight_demonstrations, walking
from tests.support.arguments import flat
from tests.support.command import call

QUICK = {"hidden": 16, "skill_hidden": 16, "steps": 500, "random_steps": 100}


def test_the_error_and_its_horizon_are_what_they_must_be(tmp_path: Path) -> None:
    planner = walking((1.5 * STEP, 0.0))  # three times as fast as the expert
    folder = save_planner(tmp_path / "planner", planner, Origin(environment="somewhere"))
    demos = straight_demonstrations(tmp_path / "demos.npz")
    found = imagine(folder, env=ID, demos=demos, steps=20, after=5, starts=3)
    walked = STEP / 2 * np.arange(21)
    np.testing.assert_allclose(found.errors, (2 * walked / 0.5) ** 2 / 2, rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(found.still, (walked / 0.5) ** 2 / 2, rtol=1e-3, atol=1e-6)
    assert found.horizon(1.0) == 8  # (0.1·k/0.5)²/2 > 1 from k = 8 on
    assert found.horizon(100.0) is None
    assert found.compared_with == "demonstrations"
    first = Demonstrations.load(demos).observations[5]
    np.testing.assert_array_equal(found.imagined[0, 0], first)
    with pytest.raises(depo.DepoError, match="longest has 40: lower --after"):
        imagine(folder, env=ID, demos=demos, after=41)
    with pytest.raises(depo.DepoError, match="nothing takes 3 real steps"):
        imagine(folder, env=ID, after=3)
    with pytest.raises(depo.DepoError, match="trained in somewhere: pass --env"):
        imagine(folder)
    alone = imagine(folder, env=ID, steps=4, starts=2)
    assert alone.compared_with == ""
    assert alone.imagined.shape == (5, 2, 2)


def test_a_named_environment_has_the_dynamics_of_the_run(tmp_path: Path) -> None:
    folder = save_planner(tmp_path / "planner", walking((STEP / 2, 0.0)))
    run = depo.transfer(
        folder,
        env=ID,
        dynamics="inverted",
        skill="tests.environments.point:opposite_inverse",
        steps=0,
        out=tmp_path / "run",
    )
    for env in ("", ID):
        found = imagine(run.path, env=env, steps=5, starts=2)
        assert found.compared_with == "policy"
        np.testing.assert_allclose(found.errors, 0.0, atol=1e-6)


def test_an_ended_episode_no_longer_counts() -> None:
    here = named_environment(ID)
    source = Source(walking((0.0, 0.0), 1.0), here, here.gymnasium(), None, 0, Path())
    real = np.zeros((3, 2, 2), np.float32)
    real[2, 0] = 9.0  # after its end
    real[2, 1] = 1.0
    alive = np.array([[True, True], [True, True], [False, True]])
    found = Imagination(source, roll(source.planner, real[0], 2), real, alive, 0, "policy")
    assert found.errors.tolist() == [0.0, 0.0, 1.0]


def test_features_are_called_by_their_names(tmp_path: Path) -> None:
    names = ("east", "$north$")
    card = Origin(environment="somewhere", features=names)
    folder = save_planner(tmp_path / "planner", walking((STEP, 0.0)), card)
    figure = draw_features(imagine(folder, env=ID, steps=2, starts=1))
    assert [axes.get_title() for axes in figure.axes] == ["east", r"\$north\$"]
    nameless = save_planner(tmp_path / "nameless", walking((STEP, 0.0)), Origin())
    assert imagine(nameless, env=ID, steps=2, starts=1).feature_names == ("feature 0", "feature 1")


def test_the_camera_stays_above_the_floor_that_an_imagined_body_is_below() -> None:
    poses = MujocoStates(GymnasiumEnvironment("Hopper-v5"))
    try:
        for height, stays in ((1.25, False), (-3.0, True)):
            poses._env.unwrapped.set_state(np.eye(6)[1] * height, np.zeros(6))
            before = poses._env.unwrapped.data.cam_xpos[0].copy()
            poses._lift_cameras()
            after = poses._env.unwrapped.data.cam_xpos[0]
            assert (after[2] != before[2]) == stays
            assert after[2] >= LOWEST
    finally:
        poses.close()


@pytest.mark.parametrize("task", TASKS)
def test_a_pose_shows_the_observation_it_was_made_from(task: str) -> None:
    id_, arguments = TASKS[task]
    host = GymnasiumEnvironment(id_, arguments)
    env = host.make()
    states, places = [env.reset(seed=3)[0]], [env.unwrapped.data.qpos.copy()]
    generator = np.random.default_rng(0)
    for _ in range(20):
        state, *_ = env.step(generator.uniform(-1, 1, env.action_space.shape))
        states.append(state)
        places.append(env.unwrapped.data.qpos.copy())
    env.close()
    assert MujocoStates.known(host, len(states[0]))
    poses = MujocoStates(host)
    try:
        position, velocity = poses.joints(np.array(states))
        shown = [poses.observe(*pair) for pair in zip(position, velocity, strict=True)]
    finally:
        poses.close()
    np.testing.assert_allclose(shown, states, atol=1e-6)
    hidden = np.array(places)[:, : poses.hidden]
    np.testing.assert_allclose(position[:, : poses.hidden], hidden - hidden[0], atol=0.05)


def test_numbers_of_a_state_are_named_by_the_models_joints() -> None:
    names = MujocoStates.names(GymnasiumEnvironment("Hopper-v5"), 11)
    assert names is not None
    assert names[:3] == ("rootz", "rooty", "thigh")  # the place on the floor is left out
    assert names[5:] == ("rootx'", "rootz'", "rooty'", "thigh'", "leg'", "foot'")
    ant = MujocoStates.names(GymnasiumEnvironment(*TASKS["ant"]), 27)
    assert ant is not None
    assert len(ant) == len(set(ant)) == 27
    assert ant[0] == "root z"
    assert MujocoStates.names(GymnasiumEnvironment(ID), 2) is None


@pytest.mark.parametrize("task", TASKS)
def test_what_a_motor_drives_answers_to_its_action(task: str) -> None:
    """Each planned velocity is moved by an action of its own, more than by any other's."""
    host = GymnasiumEnvironment(*TASKS[task])
    states, actions, _ = host.vector_sizes()
    motors = MujocoStates.motors(host, states)
    assert motors is not None
    assert len(motors) == actions
    env = host.make()
    moved = np.zeros((actions, states))
    for i, push in enumerate(np.eye(actions, dtype=np.float32)):
        reached = []
        for sign in (0.05, -0.05):
            env.reset(seed=0)
            reached.append(env.step(sign * push)[0])
        moved[i] = np.abs(reached[0] - reached[1])
    env.close()
    assert sorted(motors[i] for i in moved[:, motors].argmax(axis=1)) == list(motors)


def test_other_observations_have_no_pose() -> None:
    assert MujocoStates.motors(GymnasiumEnvironment(ID), 2) is None
    assert not MujocoStates.known(GymnasiumEnvironment(ID), 2)
    assert not MujocoStates.known(GymnasiumEnvironment("Ant-v5"), 105)  # contact forces are no pose


@pytest.mark.slow
def test_hopper_is_filmed_beside_what_it_imagines(tmp_path: Path, capsys) -> None:
    states = np.random.default_rng(0).normal(size=(4, 20, 11)) * 0.1 + [1.2, *[0.0] * 10]
    demos = Demonstrations.from_episodes(list(states)).save(tmp_path / "hops.npz")
    begin(make_job("depo", env="hopper", demos=demos, **flat(**QUICK)), tmp_path / "run")
    flags = ["--steps", "6", "--after", "2", "--starts", "2", "--frames", "3"]
    assert call("imagine", str(tmp_path / "run"), *flags, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert len(answer["errors"]) == 7
    assert answer["errors"][0] == 0.0
    endings = sorted(Path(path).suffix for path in answer["files"])
    assert endings in ([".mp4", ".png", ".png"], [".gif", ".png", ".png"])
    assert all(Path(path).stat().st_size > 1_000 for path in answer["files"])


def test_a_grid_world_shows_paths_and_others_show_curves(tmp_path: Path, tiny, capsys) -> None:
    begin(make_job("depo", steps=64, **flat(**tiny)), tmp_path / "grid")
    assert call("imagine", str(tmp_path / "grid"), "--steps", "5", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["compared_with"] == "policy"
    assert [Path(path).name for path in answer["files"]] == [
        "imagined-seed-0.png",
        "imagined-seed-0-error.png",
    ]
    folder = save_planner(tmp_path / "planner", walking((STEP, 0.0)))
    assert call("imagine", str(folder), "--env", ID, "--steps", "5") == 0
    assert (folder / "figures" / "imagined-seed-0.png").exists()
    assert not (folder / "figures" / "imagined-seed-0-error.png").exists()


def test_a_grid_planner_is_looked_at_in_its_own_world(tmp_path: Path, tiny) -> None:
    world = {"k": 4, "size": 5, "walls": ("2,0:2,3",)}
    run = begin(make_job("depo", steps=64, **flat(**tiny | world)), tmp_path / "run")
    planner = load_policy(run, None)[1].planner
    folder = save_planner(run.path / "planner" / "seed-0", planner)
    for source, env in [
        (run.path, ""),
        (run.path, "gridworld"),
        (folder, ""),
        (folder, "gridworld"),
    ]:
        seen = open_source(source, env, {}, None).environment
        assert (seen.settings.k, seen.settings.size) == (4, 5)
        assert seen.settings.walls == world["walls"]
    alone = save_planner(tmp_path / "alone", planner, Origin(environment="gridworld-5x5-k4"))
    assert open_source(alone, "", {}, None).environment.settings == GridWorldSettings(size=5)
    with pytest.raises(depo.DepoError, match="leave --env-args out"):
        open_source(run.path, "", {"size": 7}, None)


def test_finite_states_without_a_map_are_refused_also_with_demonstrations(tmp_path: Path) -> None:
    planner = depo.CategoricalPlanner(jax.random.key(0), 16, (8,))
    folder = save_planner(tmp_path / "planner", planner, Origin(environment="frozenlake-v1"))
    with pytest.raises(depo.DepoError, match="trained in frozenlake-v1: pass --env"):
        imagine(folder)
    job = make_job("depo", env="FrozenLake-v1", demos=_walks(tmp_path / "walks.npz"), steps=64)
    run = begin(job, tmp_path / "run")
    for demos in ("", tmp_path / "walks.npz"):
        with pytest.raises(depo.DepoError, match="FrozenLake-v1 has finite states: imagining is"):
            imagine(run.path, demos=demos)
    three = save_planner(tmp_path / "three", depo.CategoricalPlanner(jax.random.key(0), 3, (8,)))
    with pytest.raises(depo.DepoError, match="3 states, which make no square grid"):
        imagine(three, env="gridworld")


def _walks(path: Path) -> Path:
    return Demonstrations.from_episodes([np.array([0, 4, 8, 9, 13, 14, 15])] * 3).save(path)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("imagine", "sac"), "trained by 'sac', which has no planner"),
        (("imagine", "sac", "--seed", "7"), "has the seeds [0], not 7"),
        (("imagine", "planner", "--env", "hopper"), "sees 2-dimensional states, Hopper-v5 has 11"),
        (("imagine", "planner", "--env", "gridworld"), "plans vectors, gridworld has finite"),
        (("imagine", "nothing"), "not a planner folder"),
        (("reachability", "planner", "--episodes", "1"), "planner is not a run"),
        (("reachability", "sac"), "trained by 'sac', which has no planner"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    save_planner(tmp_path / "planner", walking((STEP, 0.0)), Origin(environment=ID))
    if "sac" in words:
        begin(
            make_job("sac", env=ID, steps=500, overrides={"hidden": 16, "random_steps": 100}),
            tmp_path / "sac",
        )
    assert call(*words) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error

"""Learning to drive: the formula is the skill, the ego's velocity the plan, vehicles share both."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

import depo
from depo.analysis.evaluate import gymnasium_of
from depo.api import make_job
from depo.core.errors import DepoError
from depo.driving.gymnasium_environments import drive
from depo.driving.opening import open_environment
from depo.driving.settings import DrivingSettings
from depo.driving.skill import driving_skill
from depo.driving.traffic.preparation import ChoiceSettings, choose
from depo.models.card import read_origin
from depo.runs.problem import open_problem
from depo.runs.run import Run
from tests.support.arguments import flat
from tests.support.command import call
from tests.support.traffic import flowing

QUICK = {
    "steps": 400,
    "hidden": 16,
    "discriminator_hidden": 16,
    "minibatch": 32,
    "batch_steps": 100,
    "copies": 10,
    "random_steps": 100,
    "evaluate_every": 2,
}


@pytest.fixture(scope="module")
def recording(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("traffic") / "flowing.npz"
    flowing().save(path)
    return str(path)


@pytest.fixture(scope="module")
def asked(recording: str, tmp_path_factory) -> tuple[Path, str]:
    """One planner, two vehicles, as the command line trains them: the run, and what was said."""
    out = tmp_path_factory.mktemp("together") / "run"
    words = ("--variants", "normal,inverse", "--env-args", f'recording="{recording}"')
    small = [f"--{name.replace('_', '-')}={value}" for name, value in QUICK.items()]
    said = io.StringIO()
    with redirect_stdout(said):
        given = (*words, *small, "--out", out, "--json")
        assert call("cotrain", "depo", "--env", "driving", *given) == 0
    return out, said.getvalue()


@pytest.fixture
def together(asked: tuple[Path, str]) -> Run:
    return Run.open(asked[0])


def test_the_planner_plans_velocities_and_no_skill_is_learned(together: Run) -> None:
    planner = depo.load_planner(together.path / "planner" / "seed-0")
    assert planner.predicts == (2, 3)
    assert not (together.path / "skill").exists()
    last = together.final_scores()[0]
    assert {"success", "collisions", "test_success", "velocity_reach_error"} <= set(last)


def test_the_planner_that_is_kept_was_best_on_validation_vehicles(
    recording: str, tmp_path: Path
) -> None:
    run = depo.train(
        "depo",
        env="driving",
        env_args={"recording": recording},
        seeds=2,
        out=tmp_path / "run",
        **flat(**QUICK | {"evaluate_every": 1}),
    )
    last = run.job.steps
    kept = {}
    for seed in run.job.seeds:
        rows = [row for row in run.metrics() if row["seed"] == seed]
        best = max(rows, key=lambda row: row["success"])  # the first of equals
        origin = read_origin(run.path / "planner" / f"seed-{seed}")
        assert origin.env_steps == best["env_steps"]
        assert origin.scores["test_success"] == best["test_success"]
        kept[seed] = origin.env_steps
    assert min(kept.values()) < last  # or nothing was chosen here
    carried = depo.transfer(
        run.path,
        env="driving",
        env_args={"recording": recording},
        skill="depo.driving.skill:normal",
        steps=0,
        seeds=2,
        out=tmp_path / "carried",
    )
    chosen = [read_origin(run.path / "planner" / f"seed-{seed}").scores for seed in (0, 1)]
    assert [row["distance"] for row in carried.final_scores()] == pytest.approx(
        [scores["distance"] for scores in chosen]
    )


def test_vehicles_that_only_read_actions_otherwise_drive_alike(together: Run) -> None:
    last = together.metrics()[-1]
    assert last["return_normal"] == last["return_inverse"]


def test_evaluation_drives_all_vehicles_and_names_no_other_number(together: Run) -> None:
    (scores,) = depo.evaluate(together, episodes=3)
    assert "episodes" not in scores
    assert scores["success"] == pytest.approx(together.final_scores()[0]["success"])


def test_a_planner_is_carried_to_another_vehicle_without_a_step(
    together: Run, recording: str, tmp_path: Path
) -> None:
    runs = {
        vehicle: depo.transfer(
            together.path / "planner" / "seed-0",
            env="driving",
            env_args={"recording": recording, "vehicle": vehicle},
            skill=f"depo.driving.skill:{vehicle}",
            steps=0,
            out=tmp_path / vehicle,
        )
        for vehicle in ("normal", "transpose", "truck")
    }
    scores = {vehicle: run.final_scores()[0] for vehicle, run in runs.items()}
    for name in ("success", "distance", "test_success"):
        assert scores["normal"][name] == pytest.approx(scores["transpose"][name], rel=1e-3)
    assert scores["truck"]["env_steps"] == 0
    assert scores["truck"]["distance"] != scores["normal"]["distance"]


def test_the_formula_is_that_of_the_recordings_own_time_step(tmp_path: Path) -> None:
    film = replace(flowing(), time_step=0.04)
    film.save(tmp_path / "film.npz")
    job = make_job("depo", env="driving", env_args={"recording": str(tmp_path / "film.npz")})
    problem = open_problem(job)
    policy = problem.learner.policy(problem.initial_state(), 0)
    problem.close()
    state = jnp.zeros(28).at[2].set(10.0)
    planned = jnp.array([10.1, 0.02])
    action = policy.skill.mode(state, planned)
    np.testing.assert_allclose(action, driving_skill(time_step=0.04).mode(state, planned))
    environment = open_environment(DrivingSettings(part="all"), film)
    ego = environment.begin_one(int(environment.choice[0]))
    before = environment.start_state[ego.vehicle]
    wanted = before[:, 2:4] + jnp.array([[0.05, 0.01]])
    _, reached, _ = drive(environment, ego, policy.skill.mode(before, wanted))
    np.testing.assert_allclose(reached[:, 2:4], wanted, atol=1e-3)


@pytest.mark.slow
def test_without_validation_vehicles_the_last_planner_is_kept(tmp_path: Path) -> None:
    choose(flowing(), ChoiceSettings(shares="85/15")).save(tmp_path / "authors.npz")
    run = depo.train(
        "depo",
        env="driving",
        env_args={"recording": str(tmp_path / "authors.npz")},
        out=tmp_path / "run",
        **flat(**QUICK | {"evaluate_every": 1}),
    )
    last = run.final_scores()[0]
    assert "success" not in last
    assert last["return"] == last["test_success"]
    assert read_origin(run.path / "planner" / "seed-0").env_steps == run.job.steps


def test_a_run_is_opened_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flowing().save(tmp_path / "here.npz")
    monkeypatch.chdir(tmp_path)
    job = make_job("depo", env="driving", env_args={"recording": "here.npz"})
    assert job.environment.settings.recording == str(tmp_path / "here.npz")


def test_what_a_planner_imagines_is_compared_with_the_drive_in_metres(together: Run) -> None:
    seen = depo.imagine(together.path, steps=6, after=3, starts=2)
    assert seen.imagined.shape == (7, 2, 4)
    assert seen.unit == "m"
    # the position one step ahead is no matter of plans or actions
    np.testing.assert_allclose(seen.errors[:2], 0.0, atol=1e-4)
    moved = np.linalg.norm(seen.real[1, :, :2] - seen.real[0, :, :2], axis=1)
    assert seen.still[1] == pytest.approx(moved.mean(), rel=1e-3)
    with pytest.raises(DepoError, match="leave --demos out"):
        depo.imagine(together.path, demos="gridworld")


def test_policy_and_vehicle_of_a_cotrained_run_belong_together(recording: str) -> None:
    job = make_job(
        env="driving", env_args={"recording": recording}, variants=("transpose", "normal"), steps=1
    )
    assert gymnasium_of(job).arguments["vehicle"] == "transpose"


def test_a_feature_that_is_not_there_cannot_be_planned(recording: str, tmp_path: Path) -> None:
    with pytest.raises(DepoError, match="feature to plan"):
        depo.train(
            "depo",
            env="driving",
            env_args={"recording": recording},
            out=tmp_path / "run",
            **flat(plans="altitude", **QUICK),
        )


def test_a_planner_of_one_view_is_refused_by_the_other(
    together: Run, recording: str, tmp_path: Path
) -> None:
    with pytest.raises(DepoError, match=r"'left behind x'.*'left behind gap'"):
        depo.transfer(
            together.path / "planner" / "seed-0",
            env="driving",
            env_args={"recording": recording, "neighbours": "gaps"},
            skill="depo.driving.skill:normal",
            steps=0,
            out=tmp_path / "run",
        )


def test_a_learned_skill_and_plans_of_place_and_velocity(recording: str, tmp_path: Path) -> None:
    run = depo.train(
        "depo",
        env="driving",
        env_args={"recording": recording},
        skill="learned",
        out=tmp_path / "run",
        **flat(plans="ego x,ego y,ego vx,ego vy", **QUICK | {"skill_hidden": 16}),
    )
    assert depo.load_planner(run.path / "planner" / "seed-0").predicts == (0, 1, 2, 3)
    assert depo.load_skill(run.path / "skill" / "seed-0").predicts == (0, 1, 2, 3)
    assert run.final_scores()[0]["velocity_reach_error"] > 0


@pytest.mark.parametrize("method", ["gaifo", "bco"])
def test_others_learn_to_drive_too(method: str, recording: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    quick = {n: v for n, v in QUICK.items() if method == "gaifo" or "discriminator" not in n}
    run = depo.train(
        method, env="driving", env_args={"recording": recording}, out=out, **flat(**quick)
    )
    last = run.final_scores()[0]
    assert 0 <= last["test_success"] <= 1
    assert last["test_distance"] > 0


def test_vehicles_are_trained_together_and_filmed_from_the_command_line(
    asked: tuple[Path, str], recording: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, said = asked
    assert "return_inverse" in said
    film = tmp_path / "drive.gif"
    assert call("render", film, "--run", out, "--seconds", "1", "--ahead", "5") == 0
    assert film.stat().st_size > 1_000
    assert call("render", film, "--run", out, "--vehicle", "truck") == 2
    assert "with --run the scene is the run's own" in capsys.readouterr().err
    words = ("--env-args", f'recording="{recording}"', "--out", tmp_path / "other")
    assert call("cotrain", "depo", "--env", "driving", "--variants", "normal", *words) == 2
    both = ("--variants", "normal,inverse")
    assert call("cotrain", "sac", "--env", "driving", *both, *words) == 2

from __future__ import annotations

import csv
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import gymnasium as gym
import jax
import numpy as np
import pytest

import depo
from depo.api import make_job
from depo.demos import Demonstrations
from depo.environments.host import HostEnvironment
from depo.runs.job import Job
from depo.runs.planned import planned_features
from depo.runs.problem import open_problem
from depo.runs.run import Run
from depo.runs.training import _check_finite, begin, go_on
from depo.settings.off_policy import DePO
from depo.weights import digest
from tests.environments.point import ID, Point


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Run:
    folder = tmp_path_factory.mktemp("runs")
    small = {"size": 3, "hidden": 32, "batch_steps": 64, "checkpoint_every": 4}
    return depo.train("depo", steps=640, seeds=2, out=folder / "first", **small)


def test_a_run_is_a_folder_with_everything(finished: Run) -> None:
    names = {path.name for path in finished.path.iterdir()}
    assert {"settings.json", "metrics.csv", "timing.csv", "demos.npz", "checkpoints"} <= names
    assert {"planner", "skill", "events"} <= names
    assert finished.status() == "finished"
    with (finished.path / "metrics.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 10
    assert [int(r["env_steps"]) for r in rows[:3]] == [64, 64, 128]
    assert not any("second" in name or "time" in name for name in rows[0])
    assert list(finished.path.glob("events/seed-1/events*"))


def test_only_the_last_two_checkpoints_are_kept(finished: Run) -> None:
    assert [p.name for p in finished.checkpoints()] == ["000008", "000010"]


def test_a_job_survives_json() -> None:
    job = make_job("depo", k=4, walls=("1,1",), via=("0,2",), seeds=3, gradient="score-function")
    assert Job.from_json(json.loads(json.dumps(job.to_json()))) == job
    other = make_job("bco", env="CliffWalking-v1", demos="x.npz", env_args={"is_slippery": True})
    assert Job.from_json(json.loads(json.dumps(other.to_json()))) == other


def test_a_transfer_copies_its_planner_bit_for_bit(finished: Run, tmp_path: Path) -> None:
    small = {"size": 3, "hidden": 32, "batch_steps": 64}
    run = depo.transfer(finished.path, k=2, steps=128, seeds=2, out=tmp_path / "t", **small)
    for seed in (0, 1):
        source, kept = (r.path / "planner" / f"seed-{seed}" for r in (finished, run))
        assert digest(depo.load_planner(source)) == digest(depo.load_planner(kept))
        assert (source / "settings.json").read_text() == (kept / "settings.json").read_text()
    assert depo.evaluate(run, episodes=2)[1]["planner_digest"] == digest(
        depo.load_planner(finished.path / "planner" / "seed-1")
    )


def test_one_planner_folder_serves_all_seeds(finished: Run, tmp_path: Path) -> None:
    source = finished.path / "planner" / "seed-1"
    small = {"size": 3, "hidden": 32, "batch_steps": 64}
    run = depo.transfer(source, k=2, steps=64, seeds=2, out=tmp_path / "t", **small)
    kept = [digest(depo.load_planner(run.path / "planner" / f"seed-{s}")) for s in (0, 1)]
    assert set(kept) == {digest(depo.load_planner(source))}


def test_a_planner_of_another_state_space_is_refused(finished: Run, tmp_path: Path) -> None:
    with pytest.raises(depo.DepoError, match=r"trained on 9 states .*environment has 36"):
        depo.transfer(finished.path, env="gridworld", k=4, out=tmp_path / "t")
    assert not (tmp_path / "t").exists()


def test_evaluation_plays_in_a_simulator_of_its_own(finished: Run) -> None:
    scores = depo.evaluate(finished, episodes=12)
    assert [s["seed"] for s in scores] == [0, 1]
    assert all(s["episodes"] == 12 and 0 <= s["return"] <= 1 for s in scores)
    logged = finished.final_scores()
    assert scores[0]["success"] == pytest.approx(logged[0]["success"], abs=1e-6)


def test_an_existing_folder_is_never_overwritten(finished: Run) -> None:
    before = (finished.path / "settings.json").read_bytes()
    with pytest.raises(depo.DepoError, match=r"exists: 'depo resume .*choose another --out"):
        depo.train("depo", out=finished.path)
    assert (finished.path / "settings.json").read_bytes() == before


def test_a_run_counts_as_finished_only_with_its_planners(tmp_path: Path, monkeypatch) -> None:
    small = {"size": 3, "hidden": 32, "batch_steps": 64, "checkpoint_every": 2}
    run = begin(make_job("depo-supervised", steps=256, **small), tmp_path / "run")

    def full(*_: object) -> None:
        raise depo.DepoError("No space left on device")

    monkeypatch.setattr("depo.runs.training.save_planner", full)
    with pytest.raises(depo.DepoError, match="No space left"):
        go_on(run)
    monkeypatch.undo()
    assert run.status() == "stopped"
    assert go_on(run).status() == "finished"
    assert (run.path / "planner" / "seed-0").is_dir()


def test_diverged_weights_are_refused(finished: Run, tmp_path: Path) -> None:
    planner = depo.load_planner(finished.path / "planner" / "seed-0")
    broken = jax.tree.map(lambda x: x * np.nan, planner)
    with pytest.raises(depo.DepoError, match="NaN or infinite weights"):
        depo.load_planner(depo.save_planner(tmp_path / "p", broken))


def test_a_diverging_run_stops_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(depo.DepoError, match="training diverged"):
        depo.train("ppo", size=3, steps=640, actor_rate=1e30, out=tmp_path / "run")


def test_nobody_ahead_is_no_divergence() -> None:
    nan = float("nan")
    _check_finite(0, {"success": 1.0, "gap_distance": nan, "test_gap_distance": nan}, 64)
    with pytest.raises(depo.DepoError, match="success is nan"):
        _check_finite(0, {"success": nan, "gap_distance": 1.0}, 64)


def test_two_processes_cannot_work_on_one_run(finished: Run) -> None:
    with finished.locked(), pytest.raises(depo.DepoError, match="another process"):
        go_on(finished)


def test_resuming_a_finished_run_changes_nothing(finished: Run) -> None:
    before = {p: p.read_bytes() for p in finished.path.rglob("*.*") if "events" not in str(p)}
    depo.resume(finished.path)
    after = {p: p.read_bytes() for p in finished.path.rglob("*.*") if "events" not in str(p)}
    assert before == after


def test_a_full_disk_while_checkpointing_leaves_the_run_whole(tmp_path: Path, monkeypatch) -> None:
    import depo.weights as weights

    small = {"size": 3, "hidden": 32, "batch_steps": 64, "checkpoint_every": 2}
    job = make_job("bco", steps=384, **small)
    run = begin(job, tmp_path / "run")
    whole, calls = weights.write_bytes, []

    def full(path: Path, data: bytes) -> None:
        calls.append(path)
        if len(calls) == 2:
            raise depo.DepoError(f"cannot write {path}: No space left on device")
        whole(path, data)

    monkeypatch.setattr(weights, "write_bytes", full)
    with pytest.raises(depo.DepoError, match="No space left"):
        go_on(run)
    monkeypatch.undo()
    assert run.status() == "stopped"
    assert run.latest()[1].block == 2
    assert go_on(run).status() == "finished"


@pytest.fixture
def stopped(tmp_path: Path) -> Run:
    """After the second of three checkpoints."""
    job = make_job("bco", steps=384, size=3, hidden=8, batch_steps=64, checkpoint_every=2)
    run = begin(job, tmp_path / "run")

    def stop(steps: int, *_: object) -> None:
        if steps == 320:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        go_on(run, stop)
    assert run.latest()[1].block == 4
    return run


def _edit(run: Run, **changes: object) -> None:
    path = run.path / "settings.json"
    stored = json.loads(path.read_text())
    stored["job"]["settings"] |= changes
    path.write_text(json.dumps(stored))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda run: (run.path / "metrics.csv").unlink(), "missing, cut short or edited"),
        (lambda run: os.truncate(run.path / "metrics.csv", 100), "missing, cut short or edited"),
        (
            lambda run: (run.path / "metrics.csv").write_bytes(
                (run.path / "metrics.csv").read_bytes().replace(b"\n", b"\r\n")
            ),
            "missing, cut short or edited",
        ),
        (lambda run: _edit(run, skill_rate=0.1), "settings.json was changed since"),
        (lambda run: os.truncate(run.latest()[0], 100), "go on from the one before"),
    ],
)
def test_a_run_that_was_meddled_with_is_not_gone_on_with(stopped: Run, damage, message) -> None:
    damage(stopped)
    before = {p: p.read_bytes() for p in stopped.path.rglob("*.*") if p.is_file()}
    with pytest.raises(depo.DepoError, match=message):
        depo.resume(stopped.path)
    assert before == {p: p.read_bytes() for p in stopped.path.rglob("*.*") if p.is_file()}


def test_a_checkpoint_without_its_progress_is_made_again(stopped: Run) -> None:
    (stopped.latest()[0].parent / "progress.json").unlink()
    assert stopped.latest()[1].block == 2
    assert depo.resume(stopped.path).status() == "finished"
    assert stopped.latest()[1].block == 6


@pytest.mark.parametrize("value", ["32", 32.5, None, True])
def test_settings_of_another_type_are_refused(value: object) -> None:
    job = make_job("depo")
    object.__setattr__(job.settings, "hidden", value)  # the tests' type checker is away
    with pytest.raises(depo.DepoError, match=r"hidden .* is not a whole number"):
        replace(job, steps=10_000)
    assert make_job("depo", calibration=1).settings.calibration == 1  # whole, but a number


def test_demonstrations_that_visit_every_cell_can_be_imitated(tmp_path: Path) -> None:
    walk = Demonstrations.from_episodes([[0, 1, 2, 5, 4, 3, 6, 7, 8]]).save(tmp_path / "all.npz")
    small = {"size": 3, "hidden": 8, "batch_steps": 64, "steps": 64}
    run = depo.train("depo", demos=walk, out=tmp_path / "run", **small)
    row = run.final_scores()[0]
    assert "legal_demonstrated" in row
    assert "legal_undemonstrated" not in row


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"steps": 0}, "steps 0"),
        ({"seeds": 0}, "seeds 0"),
        ({"seed": -1}, "none negative"),
        ({"copies": 7}, "not a multiple of copies 7"),
        ({"gamma": 1.0}, "gamma 1.0"),
        ({"epsilon": 2.0}, "epsilon 2.0"),
        ({"calibraton": 1.0}, "did you mean 'calibration'"),
        ({"preset": "quick"}, "unknown preset"),
        ({"env": "FrozenLake-v1"}, "pass --demos"),
    ],
)
def test_a_wrong_job_is_refused(arguments: dict, message: str, tmp_path: Path) -> None:
    with pytest.raises(depo.DepoError, match=message):
        depo.train("depo", out=tmp_path / "run", **arguments)
    assert not (tmp_path / "run").exists()


def test_a_narrow_planner_is_a_job_and_an_impossible_one_is_not() -> None:
    assert make_job("depo", env="hopper", log_std_ceiling=-2.5).settings.log_std_ceiling == -2.5
    with pytest.raises(depo.DepoError, match="nothing lies between"):
        make_job("depo", env="hopper", log_std_ceiling=-6.0)
    with pytest.raises(depo.DepoError, match="gradient_penalty -1"):
        make_job("depo", env="hopper", gradient_penalty=-1.0)


@pytest.mark.parametrize(
    ("method", "arguments", "message"),
    [
        ("sac", {"termination": "absorbing"}, "sac has none: zero or ignored"),
        ("depo-rl", {"termination": "absorbing"}, "depo-rl has none"),
        ("bco", {"clone_samples": True, "skill_schedule": "refit"}, "leave out one of"),
        ("depo", {"steps": 1_000}, "1,000 steps end before the 5,000 random ones"),
        ("depo", {"env": "driving", "dynamics": "inverted"}, "driving takes another vehicle"),
    ],
)
def test_settings_that_would_be_ignored_are_refused(
    method: str, arguments: dict, message: str
) -> None:
    with pytest.raises(depo.DepoError, match=message):
        make_job(method, **{"env": "hopper", **arguments})


def test_a_word_nobody_knows_is_refused() -> None:
    job = make_job("depo", env="hopper")
    object.__setattr__(job.settings, "termination", "ignore")  # the tests' type checker is away
    with pytest.raises(depo.DepoError, match="'ignore': did you mean 'ignored'"):
        replace(job, steps=10_000)


class Named(Point):
    """Says what its features are."""

    metadata: ClassVar = {"render_modes": [], "feature_names": ["x", "y"]}


def test_a_feature_to_plan_is_known_without_demonstrations() -> None:
    gym.register("depo-test/Named-v0", entry_point=Named, max_episode_steps=40)
    problem = open_problem(make_job("depo-rl", env="depo-test/Named-v0", plans="y", steps=5_000))
    problem.close()
    assert problem.learner.worlds[0].shape().predicts == (1,)  # type: ignore[union-attr]


def test_what_motors_drive_can_be_planned_by_the_joints_names() -> None:
    hopper = HostEnvironment("Hopper-v5")
    nameless = tuple(f"s{i}" for i in range(11))

    def planned(words: str, names: tuple[str, ...] = nameless) -> tuple[int, ...]:
        return planned_features(DePO(plans=words), hopper, names, 11)

    assert planned("motors") == (8, 9, 10) == planned("thigh', leg', foot'")
    assert planned("motors, rootz") == (0, 8, 9, 10)
    assert planned("s8, 9") == (8, 9)
    assert planned("motors", tuple("abcdefghijk")) == (8, 9, 10)  # names of one's own
    with pytest.raises(depo.DepoError, match="'motor': did you mean 'motors'"):
        planned("motor")


def test_motors_are_not_known_elsewhere() -> None:
    with pytest.raises(depo.DepoError, match=r"'motors': \(known: x, y\)"):
        planned_features(DePO(plans="motors"), HostEnvironment(ID), ("x", "y"), 2)


def test_a_planner_of_the_grid_stays_in_its_world(tmp_path: Path, tiny: dict) -> None:
    begin(make_job("depo", walls=("1,1",), **tiny), tmp_path / "run")
    world = make_job("transfer", planner=tmp_path / "run", k=4).environment.world
    assert (world.size, world.k, world.walls) == (3, 4, ("1,1",))
    assert (
        make_job("transfer", planner=tmp_path / "run", env="gridworld").environment.world.size == 6
    )


def test_demonstrations_of_another_space_are_refused(tmp_path: Path) -> None:
    vectors = depo.Demonstrations.from_episodes([np.zeros((3, 11))]).save(tmp_path / "v.npz")
    with pytest.raises(depo.DepoError, match=r"11-dimensional vectors.*36 finite states"):
        depo.train("depo", demos=vectors, out=tmp_path / "run")
    large = depo.Demonstrations.from_episodes([[0, 99]]).save(tmp_path / "l.npz")
    with pytest.raises(depo.DepoError, match="visit state 99"):
        depo.train("depo", demos=large, out=tmp_path / "run")


def test_an_explicit_setting_beats_the_preset() -> None:
    job = make_job("depo", preset="paper", calibration=0.7)
    assert job.settings.calibration == 0.7
    assert job.settings.gradient == "straight-through"


def test_a_simulator_that_breaks_leaves_a_run_that_can_be_resumed_and_evaluated(
    tmp_path: Path,
) -> None:
    from tests.environments.point import ID, straight_demonstrations

    demos = straight_demonstrations(tmp_path / "demos.npz")
    small = {"hidden": 16, "skill_hidden": 16, "minibatch": 32, "batch_steps": 40, "steps": 480}
    small |= {"random_steps": 80, "evaluate_every": 2, "checkpoint_every": 2}
    run, faulty = tmp_path / "run", {"fault": "nan", "after": 400}
    with pytest.raises(depo.DepoError, match="observation nan"):
        depo.train("depo", env=ID, env_args=faulty, demos=demos, out=run, **small)
    opened = Run.open(run)
    assert opened.status() == "stopped"
    assert opened.latest()[1].block > 0
    assert depo.evaluate(run, episodes=2)[0]["env_steps"] > 0
    assert depo.resume(run).status() == "finished"  # fewer steps than the fault waits for


def test_a_full_disk_is_said_and_leaves_the_last_checkpoint(tmp_path: Path, monkeypatch) -> None:
    import errno

    from depo.learners import replay
    from tests.environments.point import ID, straight_demonstrations

    demos = straight_demonstrations(tmp_path / "demos.npz")
    small = {"hidden": 16, "skill_hidden": 16, "minibatch": 32, "batch_steps": 40, "steps": 480}
    small |= {"random_steps": 80, "evaluate_every": 2, "checkpoint_every": 2}
    written = []

    def full(path: Path, data: bytes) -> None:
        written.append(path)
        if len(written) == 2:
            monkeypatch.setattr("os.fsync", no_space)
        whole(path, data)

    def no_space(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    whole = replay.write_bytes
    monkeypatch.setattr(replay, "write_bytes", full)
    with pytest.raises(depo.DepoError, match=r"cannot write .*: No space left on device"):
        depo.train("depo", env=ID, demos=demos, out=tmp_path / "run", **small)
    monkeypatch.undo()
    stopped = Run.open(tmp_path / "run")
    assert stopped.latest()[1].block == 2
    assert depo.resume(stopped.path).status() == "finished"


def test_tensorboard_is_given_up_rather_than_the_run(tmp_path: Path, monkeypatch, caplog) -> None:
    from depo.runs import events

    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(events.EventsWriter, "write_event", no_space)
    run = depo.train("depo", steps=640, hidden=16, evaluate_every=1, out=tmp_path / "run")
    assert run.status() == "finished"
    assert len(run.metrics()) == 5
    assert len([r for r in caplog.records if "TensorBoard will not see" in r.message]) == 1

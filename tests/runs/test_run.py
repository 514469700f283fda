from __future__ import annotations

import csv
import json
import os
import shutil
from pathlib import Path

import jax
import numpy as np
import pytest

import depo
from depo.api import make_job
from depo.core.errors import DepoError
from depo.core.weights import digest
from depo.runs.checkpoints import Progress
from depo.runs.run import Run
from depo.runs.training import begin, go_on
from tests.environments import point
from tests.environments.point import ID
from tests.support.arguments import flat
from tests.support.runs import cloning


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Run:
    folder = tmp_path_factory.mktemp("runs")
    small = {"size": 3, "hidden": 32, "batch_steps": 64, "checkpoint_every": 4}
    return depo.train("depo", steps=640, seeds=2, out=folder / "first", **flat(**small))


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


def test_a_transfer_copies_its_planner_bit_for_bit(finished: Run, tmp_path: Path) -> None:
    small = {"size": 3, "hidden": 32, "batch_steps": 64}
    run = depo.transfer(finished.path, steps=128, seeds=2, out=tmp_path / "t", **flat(k=2, **small))
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
    run = depo.transfer(source, steps=128, seeds=2, out=tmp_path / "t", **flat(k=2, **small))
    kept = [digest(depo.load_planner(run.path / "planner" / f"seed-{s}")) for s in (0, 1)]
    assert set(kept) == {digest(depo.load_planner(source))}


def test_a_planner_of_another_state_space_is_refused(finished: Run, tmp_path: Path) -> None:
    with pytest.raises(depo.DepoError, match=r"trained on 9 states .*environment has 36"):
        depo.transfer(finished.path, env="gridworld", out=tmp_path / "t", env_args={"k": 4})
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
    run = begin(make_job("depo-supervised", steps=256, **flat(**small)), tmp_path / "run")

    def full(*_: object) -> None:
        raise depo.DepoError("No space left on device")

    monkeypatch.setattr("depo.runs.exports.save_planner", full)
    with pytest.raises(depo.DepoError, match="No space left"):
        go_on(run)
    monkeypatch.undo()
    assert run.status() == "stopped"
    assert go_on(run).status() == "finished"
    assert (run.path / "planner" / "seed-0").is_dir()


def test_diverged_weights_are_refused(finished: Run, tmp_path: Path) -> None:
    planner = depo.load_planner(finished.path / "planner" / "seed-0")
    broken = jax.tree.map(lambda x: x * np.nan, planner)
    with pytest.raises(depo.DepoError, match="NaN or infinite numbers"):
        depo.load_planner(depo.save_planner(tmp_path / "p", broken))


def test_a_diverging_run_stops_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(depo.DepoError, match="training diverged"):
        depo.train(
            "ppo",
            steps=640,
            out=tmp_path / "run",
            env_args={"size": 3},
            overrides={"actor_rate": 1e30},
        )


def test_two_processes_cannot_work_on_one_run(finished: Run) -> None:
    with finished.locked(), pytest.raises(depo.DepoError, match="another process"):
        go_on(finished)


def test_resuming_a_finished_run_changes_nothing(finished: Run) -> None:
    before = {p: p.read_bytes() for p in finished.path.rglob("*.*") if "events" not in str(p)}
    depo.resume(finished.path)
    after = {p: p.read_bytes() for p in finished.path.rglob("*.*") if "events" not in str(p)}
    assert before == after


def test_a_full_disk_while_checkpointing_leaves_the_run_whole(tmp_path: Path, monkeypatch) -> None:
    import depo.core.weights as weights

    run = begin(cloning(), tmp_path / "run")
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


@pytest.fixture(scope="module")
def stopped_once(tmp_path_factory) -> Path:
    """After the second of three checkpoints."""
    run = begin(cloning(), tmp_path_factory.mktemp("stopped") / "run")

    def stop(evaluation: depo.Evaluation) -> None:
        if evaluation.steps == 320:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        go_on(run, [depo.Call(stop)])
    assert run.latest()[1].block == 4
    return run.path


@pytest.fixture
def stopped(stopped_once: Path, tmp_path: Path) -> Run:
    return Run.open(shutil.copytree(stopped_once, tmp_path / "run"))


def _flip(file: Path, place: int) -> None:
    """Change one bit."""
    data = bytearray(file.read_bytes())
    data[place] ^= 1
    file.write_bytes(data)


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
        (
            lambda run: _flip(run.latest()[0], -9),
            r"state\.safetensors is damaged: it is not as it was written; remove that checkpoint",
        ),
        (lambda run: _flip(run.path / "metrics.csv", 100), "missing, cut short or edited"),
        (
            lambda run: _flip(run.latest()[0].with_name("progress.json"), 30),
            r"progress\.json .*; remove that checkpoint",
        ),
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


def test_a_simulator_that_breaks_leaves_a_run_that_can_be_resumed_and_evaluated(
    tmp_path: Path,
) -> None:
    from tests.environments.point import straight_demonstrations

    demos = straight_demonstrations(tmp_path / "demos.npz")
    small = {"hidden": 16, "skill_hidden": 16, "minibatch": 32, "batch_steps": 40, "steps": 480}
    small |= {"random_steps": 80, "evaluate_every": 2, "checkpoint_every": 2}
    run, faulty = tmp_path / "run", {"fault": "nan", "after": 400}
    with pytest.raises(depo.DepoError, match="observation nan"):
        depo.train("depo", env=ID, env_args=faulty, demos=demos, out=run, **flat(**small))
    opened = Run.open(run)
    assert opened.status() == "stopped"
    assert opened.latest()[1].block > 0
    assert depo.evaluate(run, episodes=2)[0]["env_steps"] > 0
    assert depo.resume(run).status() == "finished"  # fewer steps than the fault waits for


def test_a_full_disk_is_said_and_leaves_the_last_checkpoint(tmp_path: Path, monkeypatch) -> None:
    import errno

    from depo.data import replay
    from tests.environments.point import straight_demonstrations

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
        depo.train("depo", env=ID, demos=demos, out=tmp_path / "run", **flat(**small))
    monkeypatch.undo()
    stopped = Run.open(tmp_path / "run")
    assert stopped.latest()[1].block == 2
    assert depo.resume(stopped.path).status() == "finished"


@pytest.mark.parametrize(
    ("skill", "sentence"),
    [
        (point.three_numbers, "three_numbers' gives 3 numbers, an action has 2"),
        (point.one_for_all, r"one_for_all' gives float32\[2\] for 3 states at once"),
        (point.asks_too_much, "asks_too_much' fails for 3 states of 2 numbers at once"),
        (point.in_newtons, "in_newtons' gives actions of about 100 in dimension 0, which are cut"),
        (point.no_number, "no_number' gives NaN in dimension 1 of every action"),
    ],
)
def test_a_formula_of_the_wrong_shape_is_told_before_there_is_a_run(
    skill, sentence: str, tmp_path: Path
) -> None:
    planner = depo.save_planner(tmp_path / "planner", point.walking((0.1, 0.0)))
    with pytest.raises(depo.DepoError, match=f"the formula '.*{sentence}"):
        depo.transfer(planner, env=point.ID, skill=skill, steps=0, out=tmp_path / "run")
    assert [path.name for path in tmp_path.iterdir()] == ["planner"]


def test_what_kills_left_half_written_goes_and_what_is_being_drawn_stays(tmp_path: Path) -> None:
    names = ("checkpoints/.000004.1.tmp/state", "replay/seed-0/.chunk.2.tmp", ".stopped.json.3.tmp")
    drawn = tmp_path / "figures" / ".run.png.4.tmp"
    for file in (*(tmp_path / name for name in names), drawn):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"half")
    Run(tmp_path, cloning()).cut_back(Progress(0, 0))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [drawn]


def test_a_simulator_that_breaks_leaves_a_run_that_can_go_on(tmp_path: Path) -> None:
    breaking = {"fault": "raises", "after": 5}
    with pytest.raises(DepoError, match=r"on fire; .* 'depo resume .*sac' goes on from 0 steps"):
        depo.train(
            "sac",
            env=ID,
            env_args=breaking,
            steps=100,
            out=tmp_path / "sac",
            **flat(random_steps=50, hidden=32, batch_steps=50),
        )
    assert Run.open(tmp_path / "sac").steps_done() == 0

"""A run that was really killed ends as one that was not: bit for bit."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import depo
from depo.core.weights import digest
from depo.learners.collector import Collector
from depo.learners.gathering import HostGathering
from depo.runs import stop_request
from depo.runs.run import Run
from depo.runs.stop_request import Interrupted
from depo.runs.training import begin, go_on
from tests.support.small_jobs import job

GO_ON = """
import depo, sys
from depo.core.runtime import prepare_jax
prepare_jax()
depo.resume(sys.argv[1])
"""
KILLED_WHILE_SAVING = """
import os, signal, sys
import depo, depo.core.weights as weights
from depo.core.runtime import prepare_jax
prepare_jax()
saves, whole = 0, weights.write_bytes
def torn(path, data):
    global saves
    saves += 1
    if saves == int(sys.argv[2]):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data[: len(data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
    whole(path, data)
weights.write_bytes = torn
depo.resume(sys.argv[1])
"""


def start(run: Path, script: str = GO_ON, *arguments: str) -> subprocess.Popen[bytes]:
    """A process that works on the run, on the same number of threads as the reference."""
    return subprocess.Popen(
        [sys.executable, "-c", script, str(run), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def finish(run: Path) -> None:
    process = start(run)
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output.decode()


def wait_for_rows(run: Path, rows: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 240
    timing = run / "timing.csv"
    while time.monotonic() < deadline and process.poll() is None:
        if timing.exists() and timing.read_bytes().count(b"\n") > rows:
            return
        time.sleep(0.01)


def fingerprint(run: Path) -> tuple[bytes, bytes, str]:
    opened = Run.open(run)
    state, progress = opened.latest()
    assert progress.block == opened.job.blocks
    planner = depo.load_planner(run / "planner" / "seed-1")
    return (run / "metrics.csv").read_bytes(), state.read_bytes(), digest(planner)


def whole_run(kind: str, folder: Path) -> tuple[str, Path]:
    begin(job(kind, folder), folder / "whole")
    finish(folder / "whole")
    return kind, folder


@pytest.fixture(scope="module", params=["compiled", pytest.param("host", marks=pytest.mark.slow)])
def reference(request, tmp_path_factory) -> tuple[str, Path]:
    return whole_run(request.param, tmp_path_factory.mktemp(request.param))


@pytest.mark.slow
def test_hopper_killed_at_random_moments(tmp_path: Path) -> None:
    kill_and_compare(whole_run("hopper", tmp_path), tmp_path, kills=1)


@pytest.mark.slow
def test_a_third_party_environment_killed_at_random_and_while_saving(tmp_path: Path) -> None:
    reference = whole_run("third-party", tmp_path)
    kill_and_compare(reference, tmp_path, kills=1)
    test_killed_in_the_middle_of_writing_a_checkpoint(reference, tmp_path, save=2)


@pytest.mark.slow
def test_discrete_actions_killed_at_random_moments(tmp_path: Path) -> None:
    kill_and_compare(whole_run("choices", tmp_path), tmp_path, kills=1)


@pytest.mark.slow
def test_driving_killed_at_random_moments(tmp_path: Path) -> None:
    kill_and_compare(whole_run("driving", tmp_path), tmp_path, kills=2)


@pytest.mark.slow
def test_a_transfer_killed_at_random_moments(tmp_path: Path) -> None:
    kill_and_compare(whole_run("transfer", tmp_path), tmp_path, kills=2)


@pytest.mark.slow  # a sample of tests/faults is not
def test_killed_at_random_moments(reference, tmp_path: Path) -> None:
    kill_and_compare(reference, tmp_path, kills=2)


def kill_and_compare(reference: tuple[str, Path], tmp_path: Path, kills: int) -> None:
    kind, folder = reference
    run = tmp_path / "killed"
    begin(job(kind, folder), run)
    generator = random.Random(kind)
    blocks = Run.open(run).job.blocks
    moments = (generator.randint(1, blocks // 3), generator.randint(blocks // 2, blocks - 2))
    for rows in moments[:kills]:
        process = start(run)
        wait_for_rows(run, rows, process)
        time.sleep(generator.random() * 0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    finish(run)
    assert fingerprint(run) == fingerprint(folder / "whole")


@pytest.mark.parametrize("save", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_killed_in_the_middle_of_writing_a_checkpoint(reference, tmp_path: Path, save: int) -> None:
    kind, folder = reference
    run = tmp_path / "torn"
    begin(job(kind, folder), run)
    process = start(run, KILLED_WHILE_SAVING, str(save))
    process.communicate(timeout=300)
    assert process.returncode == -signal.SIGKILL
    finish(run)
    assert fingerprint(run) == fingerprint(folder / "whole")
    assert not list((run / "checkpoints").glob(".*"))


def test_ctrl_c_saves_and_the_run_goes_on(reference, tmp_path: Path) -> None:
    kind, folder = reference
    run = tmp_path / "stopped"
    begin(job(kind, folder), run)
    process = subprocess.Popen(
        [sys.executable, "-m", "depo", "resume", str(run)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    wait_for_rows(run, 2, process)
    process.send_signal(signal.SIGINT)
    output = process.communicate(timeout=300)[0].decode()
    assert process.returncode == 130, output
    assert "at the next checkpoint" in output
    assert "depo resume" in output
    assert "Traceback" not in output
    stopped_at = Run.open(run).latest()[1].block
    assert 0 < stopped_at < Run.open(run).job.blocks
    finish(run)
    assert fingerprint(run) == fingerprint(folder / "whole")


@pytest.fixture(scope="module")
def in_the_plane(tmp_path_factory) -> Path:
    """A folder with a run that was never stopped."""
    folder = tmp_path_factory.mktemp("plane")
    go_on(begin(job("third-party", folder), folder / "whole"))
    return folder


@pytest.fixture(scope="module")
def between_checkpoints(in_the_plane: Path) -> Path:
    """A run that a signal reached in its fourth block, after a burst; saved after the third."""
    run, bursts, gather = in_the_plane / "asked", [], Collector.gather

    def signalled(self, policy) -> None:
        gather(self, policy)
        bursts.append(self)
        if len(bursts) == 3 * 2 * 2 + 1:  # blocks, seeds, bursts
            signal.raise_signal(signal.SIGTERM)
            time.sleep(0.2)  # a thread answers it

    said: list[str] = []
    begun = begin(job("third-party", in_the_plane), run)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stop_request, "PATIENCE", -1.0)
        patch.setattr(Collector, "gather", signalled)
        with pytest.raises(Interrupted) as stop:
            go_on(begun, say=said.append)
    assert len(bursts) in (13, 14)  # the other seed may be in a burst of its own
    assert stop.value.steps == 3 * 80
    assert "within 30 s" in said[0]
    assert Run.open(run).stop_reason() == "SIGTERM"
    return run


def test_a_checkpoint_on_request_lies_between_two_others_and_changes_nothing(
    in_the_plane: Path, between_checkpoints: Path, tmp_path: Path
) -> None:
    run = shutil.copytree(between_checkpoints, tmp_path / "run")
    assert [p.name for p in Run.open(run).checkpoints()] == ["000000", "000002", "000003"]
    go_on(Run.open(run))
    assert fingerprint(run) == fingerprint(in_the_plane / "whole")
    assert [p.name for p in Run.open(run).checkpoints()] == ["000006", "000008"]


def test_a_simulator_that_does_not_come_there_again_goes_on_from_the_checkpoint_before(
    in_the_plane: Path, between_checkpoints: Path, tmp_path: Path, monkeypatch
) -> None:
    run = shutil.copytree(between_checkpoints, tmp_path / "run")
    seeds, reset = [], HostGathering.reset

    def other_at_first(self, own) -> None:
        seeds.append(own)
        reset(self, [1 + s for s in own] if len(seeds) == 1 else own)

    monkeypatch.setattr(HostGathering, "reset", other_at_first)
    said: list[str] = []
    go_on(Run.open(run), say=said.append)
    assert "does not repeat its steps: going on from 160 steps, not from 240" in said[0]
    assert fingerprint(run) == fingerprint(in_the_plane / "whole")

"""The script of a SLURM array, run in a shell as SLURM would."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from depo.api import make_job
from depo.experiments.slurm import write_script
from depo.experiments.sweep import PlannedRun, Sweep
from tests.support.arguments import flat

SMALL = {"size": 3, "hidden": 32, "batch_steps": 64, "checkpoint_every": 1}


def sweep_of(folder: Path, steps: int = 128) -> Sweep:
    jobs = {f"seed-{s}": make_job("bco", seed=s, steps=steps, **flat(**SMALL)) for s in (0, 1)}
    return Sweep(folder, {label: PlannedRun(job) for label, job in jobs.items()}, plainly=True)


def begin_task(script: Path, number: int, folder: Path | None = None) -> subprocess.Popen[str]:
    """A task, with what SLURM tells it; ``folder`` has programs in place of SLURM's."""
    told = {"SLURM_ARRAY_TASK_ID": str(number), "SLURM_ARRAY_JOB_ID": "77"}
    path = f"{folder}:{os.environ['PATH']}" if folder else os.environ["PATH"]
    return subprocess.Popen(
        ["bash", str(script)],
        env={**os.environ, **told, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def program(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/bash\n{text}\n")
    (folder / name).chmod(0o755)
    return folder / name


def test_the_script_is_an_array_that_may_be_requeued(tmp_path: Path) -> None:
    script = write_script(sweep_of(tmp_path / "my runs"), workers=1)
    text = script.read_text()
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0
    for line in ("--array=0-1%1", "--requeue", "--cpus-per-task=1", "--open-mode=append"):
        assert re.search(rf"^#SBATCH {line}$", text, re.MULTILINE), line
    assert "--array=0-1\n" in write_script(sweep_of(tmp_path / "more")).read_text()


def test_a_task_does_its_own_number_and_is_requeued_at_the_time_limit(
    tmp_path: Path, monkeypatch
) -> None:
    """With programs in place of Python and of SLURM's own."""
    programs = tmp_path / "programs"
    slow = "trap 'echo saved; exit 143' TERM; echo ready; for i in $(seq 200); do sleep 0.05; done"
    python = program(programs, "python", f'echo "$@"; [ "${{@: -1}}" = 1 ] || {{ {slow}; }}')
    program(programs, "scontrol", 'echo "asked to $@"')
    monkeypatch.setattr("sys.executable", str(python))
    folder = tmp_path / "runs"
    script = write_script(sweep_of(folder))
    done = begin_task(script, 1, programs)
    said, _ = done.communicate(timeout=30)
    assert done.returncode == 0
    assert said.split() == ["-m", "depo", "sweep", str(folder), "--task", "1"]
    for number, requeued in ((signal.SIGUSR1, True), (signal.SIGTERM, False)):
        task = begin_task(script, 0, programs)
        assert task.stdout is not None
        while task.stdout.readline() != "ready\n":
            pass
        task.send_signal(number)
        said, _ = task.communicate(timeout=30)
        assert task.returncode == 143
        assert said.startswith("saved\n")
        assert ("asked to requeue 77_0" in said) == requeued


@pytest.mark.slow
def test_a_task_that_was_stopped_ends_as_the_local_engine_does(tmp_path: Path) -> None:
    steps = 64 * 40
    local, cluster = sweep_of(tmp_path / "local", steps), sweep_of(tmp_path / "cluster", steps)
    local.execute(workers=2, watch=lambda *_: None)
    script = write_script(cluster)
    stopped = begin_task(script, 0)
    timing = cluster.path("seed-0") / "timing.csv"
    while stopped.poll() is None and not (timing.exists() and timing.read_text().count("\n") > 5):
        time.sleep(0.02)
    stopped.terminate()
    stopped.communicate(timeout=60)
    assert stopped.returncode == 143
    assert cluster.left() == ["seed-0", "seed-1"]
    for number in (0, 1):
        task = begin_task(script, number)
        said, _ = task.communicate(timeout=120)
        assert task.returncode == 0, said
    assert cluster.left() == []
    for label in local.plan:
        ours, theirs = ((s.path(label) / "metrics.csv").read_bytes() for s in (local, cluster))
        assert ours == theirs
        states = [run.runs()[label].latest()[0].read_bytes() for run in (local, cluster)]
        assert states[0] == states[1]

"""Many runs at once: local processes, one core each, or the machines of a Ray cluster."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from depo.core.errors import DepoError
from depo.core.files import json_digest
from depo.core.folders import check_folder
from depo.core.runtime import cores, forget_safe_path, safe_path
from depo.data.demonstrations import Demonstrations
from depo.environments.family import family_of
from depo.experiments.derived import description
from depo.runs.demonstrations import default_demonstrations
from depo.runs.job import Job
from depo.runs.run import DEMOS, SETTINGS, Run

Engine = Literal["local", "ray"]
POLL = 0.5
"""Seconds between two looks at what workers do."""


LOSSES = 10
"""Times that a run may lose its worker, going on from its last checkpoint with the next one."""
LOST = (
    "no Ray worker is left: waiting for one to come back (Ctrl-C stops; the same command goes on "
    "from the last checkpoints)"
)
BACK = "there is a Ray worker again: going on"


def warn(text: str) -> None:
    """What is to be known of a sweep, where nobody says how to tell it."""
    logging.getLogger("depo").warning(text)


@dataclass(frozen=True)
class PlannedRun:
    """A job with a label, and the label of the run whose planners it needs."""

    job: Job
    after: str = ""


@dataclass(frozen=True)
class Sweep:
    """Runs of an experiment, in folders named by label and a digest of the job.

    Two experiments with the same folder share equal runs; a finished run is never repeated and a
    stopped one goes on.
    """

    folder: Path
    plan: Mapping[str, PlannedRun]

    def path(self, label: str) -> Path:
        """A run's folder."""
        planned = self.plan[label]
        source = self.path(planned.after).name if planned.after else ""
        return self.folder / f"{label}-{json_digest([description(planned.job), source])}"

    def job(self, label: str) -> Job:
        """A run's job, with the planners of the run it comes after."""
        planned = self.plan[label]
        if not planned.after:
            return planned.job
        data = planned.job.to_json() | {"planner": str(self.path(planned.after))}
        return Job.from_json(data)

    def runs(self) -> dict[str, Run]:
        """All runs, which must exist."""
        return {label: Run.open(self.path(label)) for label in self.plan}

    def is_finished(self, label: str) -> bool:
        """Whether a run has nothing left to do."""
        path = self.path(label)
        return (path / SETTINGS).exists() and Run.open(path).status() == "finished"

    def execute(
        self,
        *,
        workers: int,
        engine: Engine = "local",
        watch: Callable[[str, int, int], None],
        say: Callable[[str], None] = warn,
    ) -> None:
        """Do what is left, keeping to the order of dependencies.

        ``watch(label, done, total)`` hears of progress in environment steps, ``say`` that there is
        nobody to do the work, and that there is again.
        """
        for label in self.plan:
            self._check_demonstrations(label)
        todo = [label for label in self.plan if not self.is_finished(label)]
        for label in set(self.plan) - set(todo):
            watch(label, *self._steps(label))
        if not todo:
            return
        executor = _executor(engine, min(workers, len(todo)))
        try:
            self._execute(executor, todo, watch, say)
        except BrokenProcessPool:
            raise DepoError(
                "a worker was killed (out of memory?): give the same command again, it goes on"
            ) from None
        finally:
            executor.stop()

    def _check_demonstrations(self, label: str) -> None:
        """Refuse a run that learned from what a file held before it was recorded again."""
        check_folder(self.path(label))
        kept, job = self.path(label) / DEMOS, self.plan[label].job
        files = family_of(job.environment).files(job.environment)
        named = job.demos or next(iter(files), "")
        if kept.exists() and Path(named).is_file():
            learned = Demonstrations.load(kept)
            there = default_demonstrations(job.environment, job.demos)
            if not np.array_equal(learned.observations, there.observations):
                raise DepoError(
                    f"{self.path(label)} learned from other recordings than {named} holds now: "
                    "give another --out, or remove that run"
                )

    def _execute(
        self,
        executor: LocalExecutor | RayExecutor,
        todo: list[str],
        watch: Callable[[str, int, int], None],
        say: Callable[[str], None],
    ) -> None:
        idle = False
        running: dict[Future[Any], str] = {}
        while todo or running:
            for label in [x for x in todo if self._may_start(x, todo, running.values())]:
                job, path = self.job(label).to_json(), str(self.path(label))
                running[executor.submit(work, job, path)] = label
                todo.remove(label)
            done, _ = wait(running, timeout=POLL, return_when=FIRST_COMPLETED)
            if idle != (idle := not done and not executor.has_workers()):
                say(LOST if idle else BACK)
            for label in list(running.values()):
                watch(label, *self._steps(label))
            for future in done:
                label = running.pop(future)
                if (error := future.exception()) is None:
                    continue
                if said := executor.explanation(error):
                    raise DepoError(f"run '{label}': {said}") from None
                raise error

    def _may_start(self, label: str, todo: list[str], running: Any) -> bool:
        needed = self.plan[label].after
        return needed not in todo and needed not in running

    def _steps(self, label: str) -> tuple[int, int]:
        job = self.job(label)
        return Run(self.path(label), job).steps_so_far(), job.total_steps


def work(job: dict[str, Any], path: str) -> None:
    """One run in a worker's process: begin it, or go on with it. The driver says what it is to do,
    not the folder that is found there.

    Its compiled programs go with it: a process that does many runs would not have room for all.
    """
    import jax

    from depo.core.runtime import prepare_jax
    from depo.runs.training import go_on, start

    prepare_jax()
    given = Run(Path(path), Job.from_json(job))
    if (given.path / SETTINGS).exists():
        go_on(given)
    else:
        start(given.job, given.path)
    jax.clear_caches()


def _executor(engine: Engine, workers: int) -> LocalExecutor | RayExecutor:
    return RayExecutor() if engine == "ray" else LocalExecutor(workers)


class LocalExecutor:
    """Processes of this machine; :meth:`stop` ends them at once, each at its last checkpoint."""

    def __init__(self, workers: int) -> None:
        context = multiprocessing.get_context("spawn")
        with safe_path():
            free = context.Queue()
        for i in range(workers):
            free.put(cores()[i % len(cores())])
        self._pool = ProcessPoolExecutor(
            workers, context, initializer=_begin_worker, initargs=(free,)
        )

    def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Queue a call."""
        with safe_path():  # a call may start a process
            return self._pool.submit(call, *arguments)

    def has_workers(self) -> bool:
        """Always: where one is killed, its call fails."""
        return True

    def explanation(self, error: BaseException) -> str:
        """What the user can mend; empty: nothing."""
        return str(error) if isinstance(error, DepoError | OSError) else ""

    def stop(self) -> None:
        """Leave nothing running: a run's checkpoint is whole at any instant."""
        for process in list((self._pool._processes or {}).values()):
            process.terminate()
        self._pool.shutdown(wait=False, cancel_futures=True)


def _begin_worker(free: Any) -> None:
    """One core for each worker (small networks gain little from a second); none outlives us.

    Ctrl-C reaches the whole group of processes: only the parent answers it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    forget_safe_path()
    core = free.get()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    parent = os.getppid()

    def leave_with_parent() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)  # a checkpoint is whole at any instant

    threading.Thread(target=leave_with_parent, daemon=True).start()


class RayExecutor:
    """The same interface over a Ray cluster with a shared file system; needs the 'ray' extra."""

    def __init__(self) -> None:
        try:
            import ray
        except ImportError:
            raise DepoError("--engine ray needs Ray: pip install 'depo[ray]'") from None
        self._ray = ray
        if not ray.is_initialized():
            ray.init(log_to_driver=False)
        self._work = ray.remote(num_cpus=1, max_retries=LOSSES)(work)

    def explanation(self, error: BaseException) -> str:
        """What the user can mend: the worker's own words, or that it was lost; empty: nothing."""
        known, cause = self._ray.exceptions, getattr(error, "cause", error)
        if isinstance(cause, DepoError | OSError):
            return str(cause)
        if isinstance(error, known.RayError) and not isinstance(error, known.RayTaskError):
            return (
                f"its worker was lost {LOSSES + 1} times ({type(error).__name__}; out of memory?): "
                "give the same command again, it goes on"
            )
        return ""

    def has_workers(self) -> bool:
        """Whether any machine of the cluster can take a run."""
        try:
            return bool(self._ray.cluster_resources().get("CPU", 0) >= 1)
        except Exception as error:  # Ray has many kinds
            raise DepoError(
                f"the Ray cluster does not answer ({type(error).__name__}: {error}): start it, and "
                "give the same command again, it goes on"
            ) from None

    def stop(self) -> None:
        """Leave the cluster."""
        self._ray.shutdown()

    def submit(self, _: Any, job: dict[str, Any], path: str) -> Future[Any]:
        """Run :func:`work` on the cluster."""
        there = {n: str(Path(job[n]).resolve()) for n in ("planner",) if job[n]}
        return self._work.remote(job | there, str(Path(path).resolve())).future()

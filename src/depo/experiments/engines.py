"""Who does the runs of a sweep: processes of this machine, or the machines of a Ray cluster.

Every run has one core, on every engine: threads divide sums, and numbers are to be the same.
"""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import IO, Any, Literal

from depo.core.errors import DepoError, readable
from depo.core.runtime import cores, forget_safe_path, safe_path
from depo.runs.job import Job
from depo.runs.run import Run
from depo.runs.settings_file import SETTINGS

Engine = Literal["local", "ray", "slurm"]
LOSSES = 10
"""Times that a run may lose its worker, going on from its last checkpoint with the next one."""
PATIENCE = 60.0
"""Seconds that a worker waits for one before it, whose driver or machine is gone, to end."""
_claims: list[IO[str]] = []
"""The file whose lock says which core is this process's."""


def work(job: dict[str, Any], path: str, say: Callable[[str], None] | None = None) -> None:
    """One run in a worker's process: begin it, or go on with it. The driver says what it is to do,
    not the folder that is found there. With ``say`` it answers signals, and saves itself first.

    Its compiled programs go with it: a process that does many runs would not have room for all.
    """
    import jax

    from depo.core.runtime import prepare_jax
    from depo.runs.training import go_on, start

    prepare_jax()
    given = Run(Path(path), Job.from_json(job))
    if (given.path / SETTINGS).exists():
        go_on(given, say=say)
    else:
        start(given.job, given.path, say=say)
    jax.clear_caches()


def work_on_one_core(
    job: dict[str, Any], path: str, say: Callable[[str], None] | None = None
) -> None:
    """The same where nobody has chosen a core for this process yet, and another may still be at
    work: Ray ends the workers of a driver that died, but not at once."""
    claim_core()
    end = time.monotonic() + PATIENCE
    while Run(Path(path), Job.from_json(job)).is_running() and time.monotonic() < end:
        time.sleep(0.2)
    work(job, path, say)


def claim_core() -> None:
    """Keep this process on one core, which no other worker on this machine has, if there is one."""
    if _claims or not hasattr(os, "sched_setaffinity"):
        return
    own = cores()
    for core in own:
        name = f"depo-{os.getuid()}-core-{core}.lock"
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
        try:
            file = os.fdopen(os.open(Path(tempfile.gettempdir()) / name, flags, 0o600), "r+")
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        _claims.append(file)
        os.sched_setaffinity(0, {core})
        return
    os.sched_setaffinity(0, {own[os.getpid() % len(own)]})


def check_engine(engine: Engine) -> None:
    """Refuse an engine that is not installed: also asked before anything is written for it."""
    if engine != "ray":
        return
    try:
        import ray  # noqa: F401
    except ImportError:
        raise DepoError("--engine ray needs Ray: pip install 'depo[ray]'") from None


def executor_of(engine: Engine, workers: int) -> LocalExecutor | RayExecutor:
    """The one for an engine; a SLURM script has none, its tasks are in no hurry of ours."""
    return RayExecutor() if engine == "ray" else LocalExecutor(workers)


class LocalExecutor:
    """Processes of this machine; :meth:`stop` ends them at once, each at its last checkpoint."""

    def __init__(self, workers: int) -> None:
        context = multiprocessing.get_context("spawn")
        try:
            with safe_path():
                free = context.Queue()
        except OSError as error:
            raise DepoError(
                f"processes cannot talk to each other here ({error.strerror}; on Linux /dev/shm "
                "must be writable): give the container some, or leave --workers out"
            ) from None
        for i in range(workers):
            free.put(cores()[i % len(cores())])
        self._pool = ProcessPoolExecutor(
            workers, context, initializer=_begin_worker, initargs=(free,)
        )

    def submit(self, job: dict[str, Any], path: str) -> Future[Any]:
        """Queue a run."""
        with safe_path():  # a call may start a process
            return self._pool.submit(work, job, path)

    def has_workers(self) -> bool:
        """Always: where one is killed, its call fails."""
        return True

    def begins_again(self, error: BaseException) -> bool:
        """Never: whatever ended a run would end it again."""
        return False

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
        check_engine("ray")
        import ray

        self._ray = ray
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            ray.init(log_to_driver=False)
        self._work = ray.remote(num_cpus=1, max_retries=LOSSES)(work_on_one_core)
        self._given_up = 0

    def explanation(self, error: BaseException) -> str:
        """What the user can mend: the worker's own words, or that it was lost; empty: nothing."""
        known, cause = self._ray.exceptions, getattr(error, "cause", error)
        if isinstance(cause, DepoError | OSError):
            return str(cause)
        if isinstance(error, known.RaySystemError):
            return (
                f"Ray gave it up {self._given_up + 1} times ({readable(str(error))}): give the "
                "same command again when its machines are less busy, it goes on"
            )
        if isinstance(error, known.RayError) and not isinstance(error, known.RayTaskError):
            return (
                f"its worker was lost {LOSSES + 1} times ({type(error).__name__}; out of memory?): "
                "give the same command again, it goes on"
            )
        return ""

    def begins_again(self, error: BaseException) -> bool:
        """Whether to give a run again: Ray gives up what no worker has begun in its time (a minute,
        a few times over), as on machines that others use, too."""
        again = isinstance(error, self._ray.exceptions.RaySystemError) and self._given_up < LOSSES
        self._given_up += again
        return again

    def has_workers(self) -> bool:
        """Whether any machine of the cluster can take a run."""
        try:
            resources: Any = self._ray.cluster_resources
            return bool(resources().get("CPU", 0) >= 1)
        except Exception as error:  # Ray has many kinds
            raise DepoError(
                f"the Ray cluster does not answer ({type(error).__name__}: {error}): start it, and "
                "give the same command again, it goes on"
            ) from None

    def stop(self) -> None:
        """Leave the cluster, unless it was the caller's connection before."""
        if self._is_ours:
            self._ray.shutdown()

    def submit(self, job: dict[str, Any], path: str) -> Future[Any]:
        """Run :func:`work` on the cluster, whose machines have other current folders."""
        there = {n: str(Path(job[n]).resolve()) for n in ("planner",) if job[n]}
        return self._work.remote(job | there, str(Path(path).resolve())).future()

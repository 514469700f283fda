"""Many runs: what is to be done, in which folders and order, and what is left of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from depo.core.errors import DepoError
from depo.core.files import json_digest
from depo.core.folders import check_folder
from depo.core.runtime import cores
from depo.data.demonstrations import Demonstrations
from depo.environments.family import family_of
from depo.experiments.derived import description
from depo.experiments.engines import Engine, LocalExecutor, RayExecutor, executor_of
from depo.runs.demonstrations import default_demonstrations
from depo.runs.job import Job
from depo.runs.run import DEMOS, Run
from depo.runs.settings_file import SETTINGS

POLL = 0.5
"""Seconds between two looks at what workers do."""

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
    """A job with a label, and the label of the run whose planners, or reward, it needs."""

    job: Job
    after: str = ""


@dataclass(frozen=True)
class Sweep:
    """Runs of an experiment, in folders named by label and a digest of the job.

    Two experiments with the same folder share equal runs; a finished run is never repeated and a
    stopped one goes on. Where folders are named ``plainly``, by label alone, one with another job
    is refused.
    """

    folder: Path
    plan: Mapping[str, PlannedRun]
    plainly: bool = False

    def path(self, label: str) -> Path:
        """A run's folder."""
        if self.plainly:
            return self.folder / label
        planned = self.plan[label]
        source = self.path(planned.after).name if planned.after else ""
        return self.folder / f"{label}-{json_digest([description(planned.job), source])}"

    def job(self, label: str) -> Job:
        """A run's job, with the planners, or the reward, of the run it comes after."""
        planned = self.plan[label]
        if not planned.after:
            return planned.job
        taken = "reward_from" if planned.job.spec.takes_reward else "planner"
        data = planned.job.to_json() | {taken: str(self.path(planned.after))}
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
        nobody to do the work, and that there is again. ``workers`` is how many runs may go on at
        the same time; 0: as many as there are cores.
        """
        todo = self.left()
        for label in set(self.plan) - set(todo):
            watch(label, *self._steps(label))
        if not todo:
            return
        executor = executor_of(engine, min(workers or len(cores()), len(todo)))
        try:
            self._execute(executor, todo, workers or len(todo), watch, say)
        except BrokenProcessPool:
            raise DepoError(
                "a worker was killed (out of memory?): give the same command again, it goes on"
            ) from None
        finally:
            executor.stop()

    def left(self) -> list[str]:
        """The runs that are not finished; refuses folders that hold something else."""
        for label in self.plan:
            self._check_demonstrations(label)
            self._check_job(label)
        return [label for label in self.plan if not self.is_finished(label)]

    def _check_job(self, label: str) -> None:
        """Refuse to go on with a run that was asked for with other settings."""
        path = self.path(label)
        if not self.plainly or not path.exists():
            return
        is_run = (path / SETTINGS).exists()
        if not is_run and path.is_dir() and not any(path.iterdir()):
            return
        if not is_run or Run.open(path).job != self.job(label):
            held = "was begun with other settings" if is_run else "exists and is no run"
            raise DepoError(f"{path} {held}: choose another --out, or remove it")

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
        workers: int,
        watch: Callable[[str, int, int], None],
        say: Callable[[str], None],
    ) -> None:
        idle = False
        running: dict[Future[Any], str] = {}
        while todo or running:
            ready = [x for x in todo if self._may_start(x, todo, running.values())]
            for label in ready[: max(0, workers - len(running))]:
                job, path = self.job(label).to_json(), str(self.path(label))
                running[executor.submit(job, path)] = label
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
                if executor.begins_again(error):
                    todo.append(label)
                    continue
                if said := executor.explanation(error):
                    raise DepoError(f"run '{label}': {said}") from None
                raise error

    def _may_start(self, label: str, todo: list[str], running: Collection[str]) -> bool:
        needed = self.plan[label].after
        return needed not in todo and needed not in running

    def _steps(self, label: str) -> tuple[int, int]:
        job = self.job(label)
        return Run(self.path(label), job).steps_so_far(), job.total_steps

"""The loop: advance, evaluate, log, checkpoint; begin, or go on from the last checkpoint."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from depo.core.errors import DepoError
from depo.core.folders import check_folder
from depo.core.stopping import Stopped, stopping_when
from depo.core.weights import save_tree
from depo.data.demonstrations import Demonstrations
from depo.environments.misbehaviour import SimulationError
from depo.runs.blame import blaming
from depo.runs.callbacks import Callback, Callbacks, Evaluation
from depo.runs.events import Events
from depo.runs.exports import export, keep_source_planners
from depo.runs.job import Job
from depo.runs.problem import Problem, open_problem, open_problem_of
from depo.runs.rewards import keep_given_rewards
from depo.runs.run import REPLAY, Run
from depo.runs.scores import (
    ScoreHistory,
    check_finite,
    check_metric_names,
    compare_planners,
    rows_of,
    tell_success,
)
from depo.runs.stop_request import Interrupted, StopRequest
from depo.runs.trying import check_decisions, check_formulas


def begin(job: Job, path: Path, demos: Demonstrations | None = None) -> Run:
    """Create a run's folder with checkpoint 0 in it."""
    problem = open_problem(job, demos)
    try:
        return _create(job, path, problem)
    finally:
        problem.close()


def start(
    job: Job,
    path: Path,
    callbacks: Sequence[Callback] = (),
    say: Callable[[str], None] | None = None,
    demos: Demonstrations | None = None,
) -> Run:
    """Create a run's folder and work on it until it is finished or a callback stops it."""
    own = Callbacks(callbacks)
    problem = open_problem(job, demos)
    with contextlib.ExitStack() as closing:
        closing.callback(problem.close)
        run = _create(job, path, problem)
        told = _saying_what_is_left(run)
        with run.locked(), told, StopRequest(say) as stop, closing.pop_all():  # may take time
            _loop(run, problem, stop, own)
    return run


def go_on(
    run: Run,
    callbacks: Sequence[Callback] = (),
    say: Callable[[str], None] | None = None,
) -> Run:
    """Work on a run until it is finished; exactly as if it had never been stopped."""
    own = Callbacks(callbacks)
    run.check_imports()
    check_folder(run.path)
    with run.locked(), _saying_what_is_left(run), StopRequest(say) as stop:
        if run.is_finished():
            return run
        problem = open_problem_of(run)
        try:
            _loop(run, problem, stop, own)
        finally:
            problem.close()
    return run


@contextlib.contextmanager
def _saying_what_is_left(run: Run) -> Iterator[None]:
    """Of a run that somebody's environment has ended."""
    try:
        yield
    except SimulationError as error:
        raise DepoError(
            f"{error}; the run is whole: once that is mended, 'depo resume {run.path}' goes on "
            f"from {run.steps_done():,} steps"
        ) from error


def _create(job: Job, path: Path, problem: Problem) -> Run:
    with Run.create(path, job, problem.demos) as run:
        state = problem.initial_state()
        check_formulas(problem, state)
        check_decisions(problem, state)
        if job.spec.takes_planner:
            keep_source_planners(run)
        if job.spec.takes_reward:
            keep_given_rewards(run)
        run.save_checkpoint(0, lambda file: save_tree(file, state))
    return Run(path, job)


def _loop(run: Run, problem: Problem, stop: StopRequest, callbacks: Callback) -> None:
    """From the newest checkpoint on."""
    state, block = _load(run, problem, stop)
    run.forget_stop()
    sitting = Sitting(run, problem, Events(run), ScoreHistory(problem.chosen_by, run.metrics()))
    try:
        callbacks.on_start(run)
        with blaming(run.job.spec):
            if not run.job.blocks:
                export(run, problem, state, run.job.seeds, 0, sitting.history.last)
                sitting.evaluate(state, 0, {})
            _advance(sitting, state, block, stop, callbacks)
    finally:
        sitting.events.close()
        callbacks.on_end(run)


def _load(run: Run, problem: Problem, stop: StopRequest) -> tuple[Any, int]:
    """The newest checkpoint's state, and the environments where they were then.

    At a checkpoint that was made on request they are in the middle of something: they take all
    actions since the reset before it again. One that does not repeat itself cannot be brought
    there, and the run goes on from that reset.
    """
    progress, learner, steps_at = run.latest()[1], problem.learner, run.job.steps_at
    run.check(progress)
    state = run.load(problem.skeleton())
    run.cut_back(progress)
    number = run.last_synchronised(progress.block)
    learner.load_experience(run.path / REPLAY, steps_at(progress.block), steps_at(number))
    if number == progress.block or learner.catch_up(state, number, steps_at(number)):
        return state, progress.block
    stop.tell(
        f"environment '{run.job.environment.label}' does not repeat its steps: going on from "
        f"{steps_at(number):,} steps, not from {steps_at(progress.block):,}"
    )
    run.forget_newest_checkpoint()
    return _load(run, problem, stop)


def _advance(
    sitting: Sitting, state: Any, block: int, stop: StopRequest, callbacks: Callback
) -> None:
    """Checkpoint after checkpoint, to the last one or until somebody stops it."""
    run, problem = sitting.run, sitting.problem
    job, learner, pace = run.job, problem.learner, Pace()
    while block < job.blocks:
        number = run.last_synchronised(block)
        if number == block:
            learner.synchronise(state, block)
        end = min(number + job.settings.saving.checkpoint_every, job.blocks)
        for now in range(block, end):
            stop.due = pace.begin(end - now)
            began = time.perf_counter()
            try:
                with stopping_when(lambda: stop.is_urgent):
                    state, metrics = learner.advance(state)
            except Stopped:
                sitting.save_on_request(state, now, stop)
            block = now + 1
            evaluation = sitting.evaluate(state, block, metrics)
            sitting.export(state, block, sitting.history.best_now())
            run.log_time(evaluation.steps, time.perf_counter() - began)
            stop.ask(callbacks.on_evaluation(evaluation))
            if stop.is_urgent and block != run.last_synchronised(block):
                sitting.save_on_request(state, block, stop)
        wanted = stop.reason and not stop.interrupted
        if (block >= job.blocks or wanted) and not problem.chosen_by:
            # before the last checkpoint, which makes the run "finished"
            sitting.export(state, block, job.seeds)
        learner.save_experience(run.path / REPLAY)
        run.save_checkpoint(block, lambda file, state=state: save_tree(file, state))
        if stop.reason and block < job.blocks:
            run.mark_stopped(stop.reason)
            if stop.interrupted:
                raise Interrupted(run.steps_done(), stop.number)
            return


class Pace:
    """How long a block takes, by the last one.

    >>> Pace().begin(4)()
    inf
    """

    def __init__(self) -> None:
        self._began = -math.inf

    def begin(self, left: int) -> Callable[[], float]:
        """Another block, with which n are left; tells the seconds until all of them are done."""
        now = time.monotonic()
        self._began, each = now, now - self._began
        return lambda: max(0.0, left * each - (time.monotonic() - now))


@dataclass(frozen=True)
class Sitting:
    """A run that is worked on."""

    run: Run
    problem: Problem
    events: Events
    history: ScoreHistory

    def evaluate(self, state: Any, block: int, metrics: dict[str, np.ndarray]) -> Evaluation:
        """Score every seed's policy and write the rows."""
        job = self.run.job
        scores = self.problem.evaluate(state)
        for seed, score in zip(job.seeds, scores, strict=True):
            check_finite(seed, score, job.steps_at(block))
        tell_success(scores, self.history.last)
        if job.spec.takes_planner:
            compare_planners(self.run, self.problem, state, scores)
        check_metric_names(job, scores, metrics)
        rows = rows_of(job, block, scores, metrics)
        self.history.check_columns(rows[0])
        self.run.log(rows)
        self.events.add(rows)
        self.history.add(rows)
        return Evaluation(self.run, job.steps_at(block), job.total_steps, tuple(rows))

    def save_on_request(self, state: Any, block: int, stop: StopRequest) -> NoReturn:
        """Leave now: with a checkpoint between two others, if the learner can go on from one."""
        run, steps = self.run, self.run.job.steps_at(block)
        if block != run.last_synchronised(block) and self.problem.learner.save_experience_until(
            run.path / REPLAY, steps
        ):
            run.save_checkpoint(block, lambda file: save_tree(file, state))
        run.mark_stopped(stop.reason)
        raise Interrupted(run.steps_done(), stop.number)

    def export(self, state: Any, block: int, seeds: Collection[int]) -> None:
        """Write what some seeds have learned as folders."""
        steps = self.run.job.steps_at(block)
        export(self.run, self.problem, state, seeds, steps, self.history.last)

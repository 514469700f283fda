"""The loop: advance, evaluate, log, checkpoint; begin, or go on from the last checkpoint."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import numpy as np

from depo.environments.gridworld import GridWorldSettings
from depo.errors import DepoError
from depo.learners.cotraining import Cotraining
from depo.models.folder import Origin, load_planner, read_origin, save_planner, save_skill
from depo.models.planner import GaussianPlanner
from depo.models.policy import DecoupledPolicy
from depo.models.skill import AnalyticSkill
from depo.runs.events import Events
from depo.runs.job import Job
from depo.runs.planners import PLANNER, planner_folder, return_before, source_folder
from depo.runs.problem import Problem, host_of, open_problem
from depo.runs.run import REPLAY, Run
from depo.settings import TRANSFER
from depo.settings.off_policy import unfreezes
from depo.weights import digest, save_tree

Report = Callable[[int, int, list[dict[str, Any]]], None]
"""Called after every evaluation with (steps done, steps in all, rows)."""


class Interrupted(Exception):  # noqa: N818
    """Ctrl-C: the run stopped at a checkpoint."""


class StopRequest:
    """First Ctrl-C: go on to the next checkpoint, then stop. Second: stop at once."""

    def __init__(self, say: Callable[[str], None] | None):
        self.asked = False
        self._say = say
        self._previous: Any = None

    def __enter__(self) -> StopRequest:
        if self._say is not None and threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)

    def _handle(self, *_: object) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        assert self._say is not None
        self._say("stopping at the next checkpoint; Ctrl-C again stops at once")


def begin(job: Job, path: Path) -> Run:
    """Create a run's folder with checkpoint 0 in it."""
    problem = open_problem(job)
    try:
        with Run.create(path, job, problem.demos) as run:
            state = problem.initial_state()
            if job.method == TRANSFER:
                _keep_source_planners(run)
            run.save_checkpoint(0, lambda file: save_tree(file, state))
    finally:
        problem.close()
    return Run.open(path)


def go_on(run: Run, report: Report | None = None, say: Callable[[str], None] | None = None) -> Run:
    """Work on a run until it is finished; exactly as if it had never been stopped."""
    with run.locked(), StopRequest(say) as stop:
        if run.is_finished():
            return run
        problem = open_problem(run.job, run.demonstrations(), str(run.path))
        try:
            _loop(run, problem, stop, report or (lambda *_: None))
        finally:
            problem.close()
    return run


def _loop(run: Run, problem: Problem, stop: StopRequest, report: Report) -> None:
    job = run.job
    progress = run.latest()[1]
    run.check(progress)
    state = run.load(problem.skeleton())
    run.cut_back(progress)
    block = progress.block
    problem.learner.load_experience(run.path / REPLAY, block * job.steps_per_block)
    events = Events(run)
    if not job.blocks:
        _export(run, problem, state, job.seeds, env_steps=0)
        _evaluate(run, problem, state, 0, {}, events)
    try:
        while block < job.blocks:
            problem.learner.synchronise(state, block)
            for _ in range(min(job.settings.checkpoint_every, job.blocks - block)):
                began = time.perf_counter()
                state, metrics = problem.learner.advance(state)
                block += 1
                rows = _evaluate(run, problem, state, block, metrics, events)
                steps = block * job.steps_per_block
                _export(run, problem, state, _best_so_far(run, problem.chosen_by), steps)
                run.log_time(steps, time.perf_counter() - began)
                report(steps, job.blocks * job.steps_per_block, rows)
            if block >= job.blocks and not problem.chosen_by:
                # before the last checkpoint, which makes the run "finished"
                _export(run, problem, state, job.seeds, block * job.steps_per_block)
            problem.learner.save_experience(run.path / REPLAY)
            run.save_checkpoint(block, lambda file, state=state: save_tree(file, state))
            if stop.asked and block < job.blocks:
                raise Interrupted(f"{run.path}")
    finally:
        events.close()


def _evaluate(
    run: Run,
    problem: Problem,
    state: Any,
    block: int,
    metrics: dict[str, np.ndarray],
    events: Events,
) -> list[dict[str, Any]]:
    """Score every seed's policy and write the rows."""
    job = run.job
    scores = problem.evaluate(state)
    for seed, score in zip(job.seeds, scores, strict=True):
        _check_finite(seed, score, block * job.steps_per_block)
    if job.method == TRANSFER:
        _compare_planners(run, problem, state, scores)
    rows = _rows(job, block, scores, metrics)
    run.log(rows)
    events.add(rows)
    return rows


MAY_LACK = ("gap_distance",)
"""Scores that are NaN where there is nothing to measure: on an empty road nobody is ahead."""


def _check_finite(seed: int, scores: dict[str, float], steps: int) -> None:
    judged = {name: value for name, value in scores.items() if not name.endswith(MAY_LACK)}
    broken = [name for name, value in judged.items() if not np.isfinite(value)]
    if broken:
        raise DepoError(
            f"seed {seed}: {broken[0]} is {scores[broken[0]]} at {steps:,} steps: "
            "training diverged, lower the learning rates"
        )


def _compare_planners(
    run: Run, problem: Problem, state: Any, scores: list[dict[str, float]]
) -> None:
    """Add whether every seed's planner is still, bit for bit, the one the transfer began with,
    and the share of its return before that is reached now: NaN for a seed where that says nothing,
    no column where it does for none."""
    before = [return_before(run, seed) for seed in run.job.seeds]
    comparable = any(value is not None for value in before) and "return" in scores[0]
    for i, seed in enumerate(run.job.seeds):
        folder = source_folder(run) / f"seed-{seed}"
        policy = problem.learner.policy(state, i)
        assert isinstance(policy, DecoupledPolicy)
        same = digest(policy.planner) == digest(load_planner(folder))
        scores[i]["planner_unchanged"] = float(same)
        if comparable:
            scores[i]["return_kept"] = scores[i]["return"] / (before[i] or np.nan)


def _rows(
    job: Job, block: int, scores: list[dict[str, float]], metrics: dict[str, np.ndarray]
) -> list[dict[str, Any]]:
    """One row for each seed; floats as the shortest text that reads back the same."""
    rows = []
    for i, seed in enumerate(job.seeds):
        row: dict[str, Any] = {"seed": seed, "env_steps": block * job.steps_per_block}
        row |= scores[i]
        row |= {name: float(value[i]) for name, value in sorted(metrics.items())}
        rows.append(row)
    return rows


def _keep_source_planners(run: Run) -> None:
    """The planners a transfer begins with are the ones it ends with: copy them, cards and all.

    Those that will be fine-tuned are kept beside, as they were.
    """
    for seed in run.job.seeds:
        source = planner_folder(run.job.planner, seed)
        planner, origin = load_planner(source), read_origin(source)
        for folder in {run.path / PLANNER, source_folder(run)}:
            save_planner(folder / f"seed-{seed}", planner, origin)


def _best_so_far(run: Run, score: str) -> set[int]:
    """The seeds whose last evaluation is better by a score than every one before; none without."""
    if not score:
        return set()
    values: dict[int, list[float]] = {}
    for row in run.metrics():
        values.setdefault(int(row["seed"]), []).append(row[score])
    return {seed for seed, own in values.items() if int(np.argmax(own)) == len(own) - 1}


def _export(run: Run, problem: Problem, state: Any, seeds: Collection[int], env_steps: int) -> None:
    """Write planners (unless they came from elsewhere) and skills of some seeds as folders."""
    scores = {int(row["seed"]): row for row in run.final_scores()} if seeds else {}
    for i, seed in enumerate(run.job.seeds):
        if seed not in seeds:
            continue
        policy = problem.learner.policy(state, i)
        if not isinstance(policy, DecoupledPolicy):
            continue
        known = {k: v for k, v in scores.get(seed, {}).items() if math.isfinite(v)}
        own = {k: v for k, v in known.items() if k not in ("seed", "env_steps")}
        origin = Origin(
            environment=run.job.environment.label,
            method=run.job.method,
            features=_features(run, problem, seed, policy),
            trained_on=describe_demonstrations(run.job, problem),
            env_steps=env_steps,
            seed=seed,
            scores=own,
        )
        skills = {f"seed-{seed}": policy.skill}
        if isinstance(problem.learner, Cotraining):
            policies = problem.learner.policies(state, i)
            skills = {f"seed-{seed}-{kind}": own.skill for kind, own in policies.items()}
        if run.job.method != TRANSFER or unfreezes(run.job.settings):
            save_planner(run.path / PLANNER / f"seed-{seed}", policy.planner, origin)
        for name, skill in skills.items():
            if not isinstance(skill, AnalyticSkill):
                save_skill(run.path / "skill" / name, skill, origin)


def _features(run: Run, problem: Problem, seed: int, policy: DecoupledPolicy) -> tuple[str, ...]:
    """Names from the demonstrations, from the planner that was transferred, or from the
    environment; numbers where nobody has any."""
    if problem.demos is not None:
        return problem.demos.feature_names
    if run.job.method == TRANSFER:
        return read_origin(source_folder(run) / f"seed-{seed}").features
    if not isinstance(policy.planner, GaussianPlanner):
        return ("state",)
    count = policy.planner.standard.mean.shape[0]
    return host_of(run.job.environment).feature_names() or tuple(f"s{i}" for i in range(count))


def describe_demonstrations(job: Job, problem: Problem) -> str:
    """One line on what the planner imitates."""
    if problem.demos is None:
        return "no demonstrations"
    world = job.environment.world
    built_in = "built-in expert" if isinstance(world, GridWorldSettings) else "demonstrations"
    name = Path(job.demos).name if job.demos else built_in
    return f"{name}: {problem.demos.episodes} state-only episodes"

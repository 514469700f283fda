"""Scores of what a run has learned, beyond those it logged: episodes in a fresh simulator."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from depo.environments.driving.settings import ID as DRIVING_ID
from depo.environments.host import HostEnvironment
from depo.errors import DepoError
from depo.evaluation.rollouts import RolloutEvaluator
from depo.models.policy import DecoupledPolicy, Policy
from depo.runs.job import Job
from depo.runs.problem import Problem, host_of, open_problem
from depo.runs.run import Run
from depo.settings import OFF_POLICY
from depo.settings.off_policy import remembers
from depo.weights import digest


def evaluate(
    run: str | Path | Run, *, episodes: int = 10, dynamics: str | None = None
) -> list[dict[str, float | str]]:
    """Scores of each seed at the last checkpoint.

    The deterministic policy plays ``episodes`` episodes on held-out seeds in a simulator of its
    own (driving: all validation and test vehicles, once); where the world is known exactly, exact
    scores stand beside. ``dynamics`` puts the policy, as it is, under other than the run's.
    """
    if episodes < 1:
        raise DepoError(f"episodes {episodes} is not positive")
    run = run if isinstance(run, Run) else Run.open(run)
    job = run.job if dynamics is None else under(run.job, dynamics)
    problem = open_problem(job, run.demonstrations(), str(run.path), episodes)
    try:
        progress = run.latest()[1]
        state = run.load(problem.skeleton())
        policies = [problem.learner.policy(state, i) for i in range(len(run.job.seeds))]
        played = _played(run, problem, state, policies, episodes)
        drives = run.job.environment.id == DRIVING_ID
        return [
            {
                "seed": seed,
                "env_steps": progress.block * run.job.steps_per_block,
                **({} if drives else {"episodes": episodes}),
                **played[i],
                **planner_digest(policies[i]),
            }
            for i, seed in enumerate(run.job.seeds)
        ]
    finally:
        problem.close()


def under(job: Job, dynamics: str) -> Job:
    """The same job under other dynamics, with actions of the same length."""
    other = dataclasses.replace(job.environment, dynamics=dynamics)
    if job.learner == OFF_POLICY:
        own, changed = (host_of(x).vector_sizes().actions for x in (job.environment, other))
        if own != changed:
            raise DepoError(
                f"under dynamics '{dynamics}' an action has {changed} numbers, this policy gives "
                f"{own}: 'depo transfer' learns a skill for them"
            )
    return dataclasses.replace(job, environment=other)


def load_policies(run: Run) -> list[Policy]:
    """The policies of all seeds at the last checkpoint."""
    problem = open_problem(run.job, run.demonstrations(), str(run.path))
    try:
        state = run.load(problem.skeleton())
        return [problem.learner.policy(state, i) for i in range(len(run.job.seeds))]
    finally:
        problem.close()


def load_policy(run: Run, seed: int | None) -> tuple[int, Policy]:
    """One seed, the first if none is named, and its policy at the last checkpoint."""
    chosen = run.job.seeds[0] if seed is None else seed
    if chosen not in run.job.seeds:
        raise DepoError(f"{run.path} has the seeds {list(run.job.seeds)}, not {chosen}")
    return chosen, load_policies(run)[run.job.seeds.index(chosen)]


def host_environment(job: Job) -> HostEnvironment:
    """The environment of a job as a Gymnasium id with arguments; co-trained, of its first type,
    whose policy :func:`load_policies` gives."""
    environment = job.first_environment
    if environment.world is None:
        return dataclasses.replace(host_of(environment), remember=remembers(job.settings))
    return HostEnvironment(environment.id, dataclasses.asdict(environment.world))


def planner_digest(policy: Policy) -> dict[str, str]:
    """A fingerprint of the planner, where there is one: transfer must not change it."""
    if not isinstance(policy, DecoupledPolicy):
        return {}
    return {"planner_digest": digest(policy.planner)}


def _played(
    run: Run, problem: Problem, state: Any, policies: list[Policy], episodes: int
) -> list[dict[str, float]]:
    if run.job.learner == OFF_POLICY:
        return problem.evaluate(state)
    simulator = RolloutEvaluator(host_environment(run.job), run.job.seeds, episodes)
    try:
        played = simulator(jax.tree.map(lambda *xs: jnp.stack(xs), *policies))
    finally:
        simulator.close()
    exact = problem.evaluate(state) if problem.exact else [{} for _ in run.job.seeds]
    return [scores | more for scores, more in zip(played, exact, strict=True)]

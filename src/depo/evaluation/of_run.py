"""Scores of what a run has learned, beyond those it logged: episodes in a fresh simulator."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from depo.environments.host import HostEnvironment
from depo.errors import DepoError
from depo.evaluation.rollouts import RolloutEvaluator
from depo.models.policy import DecoupledPolicy, Policy
from depo.runs.problem import Problem, open_problem
from depo.runs.run import Run
from depo.settings import OFF_POLICY
from depo.settings.off_policy import remembers
from depo.weights import digest, load_tree


def evaluate(run: str | Path | Run, *, episodes: int = 10) -> list[dict[str, float | str]]:
    """Scores of each seed at the last checkpoint.

    The deterministic policy plays ``episodes`` episodes on held-out seeds in a simulator of its
    own; where the world is known exactly, exact scores stand beside.
    """
    if episodes < 1:
        raise DepoError(f"episodes {episodes} is not positive")
    run = run if isinstance(run, Run) else Run.open(run)
    problem = open_problem(run.job, run.demonstrations(), str(run.path), episodes)
    try:
        file, progress = run.latest()
        state = load_tree(file, problem.skeleton())
        policies = [problem.learner.policy(state, i) for i in range(len(run.job.seeds))]
        played = _played(run, problem, state, policies, episodes)
        return [
            {
                "seed": seed,
                "env_steps": progress.block * run.job.steps_per_block,
                "episodes": episodes,
                **played[i],
                **planner_digest(policies[i]),
            }
            for i, seed in enumerate(run.job.seeds)
        ]
    finally:
        problem.close()


def load_policies(run: Run) -> list[Policy]:
    """The policies of all seeds at the last checkpoint."""
    problem = open_problem(run.job, run.demonstrations(), str(run.path))
    try:
        state = load_tree(run.latest()[0], problem.skeleton())
        return [problem.learner.policy(state, i) for i in range(len(run.job.seeds))]
    finally:
        problem.close()


def host_environment(run: Run) -> HostEnvironment:
    """The environment of a run as a Gymnasium id with arguments."""
    environment = run.job.environment
    if environment.world is None:
        return HostEnvironment(
            environment.id, dict(environment.arguments), remember=remembers(run.job.settings)
        )
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
    simulator = RolloutEvaluator(host_environment(run), run.job.seeds, episodes)
    try:
        played = simulator(jax.tree.map(lambda *xs: jnp.stack(xs), *policies))
    finally:
        simulator.close()
    exact = problem.evaluate(state) if problem.exact else [{} for _ in run.job.seeds]
    return [scores | more for scores, more in zip(played, exact, strict=True)]

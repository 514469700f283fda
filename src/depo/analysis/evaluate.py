"""Scores of what a run has learned, beyond those it logged: episodes in a fresh simulator."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from depo.analysis.policies import evaluate_policy, is_policy_folder
from depo.core.errors import DepoError
from depo.core.weights import digest
from depo.environments.family import family_of
from depo.environments.given import EnvironmentLike
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.methods.off_policy.settings import uses_memory
from depo.methods.registry import OFF_POLICY
from depo.models.policy import DecoupledPolicy, PolicyModel
from depo.runs.job import Job
from depo.runs.problem import open_problem_of
from depo.runs.run import Run, as_run


def evaluate(
    run: str | Path | Run,
    *,
    episodes: int = 10,
    dynamics: str | None = None,
    env: EnvironmentLike | None = None,
    trust: bool = False,
) -> list[dict[str, float | str]]:
    """Scores of each seed of a run at its last checkpoint; or of a policy folder, or ``zoo:NAME``.

    The deterministic policy plays ``episodes`` episodes on held-out seeds in a simulator of its
    own (driving: all validation and test vehicles, once); on a grid world exact scores stand
    beside. ``dynamics`` puts the policy, as it is, under other than the run's. ``trust`` lets a run
    that somebody else made import the modules it names.
    """
    if episodes < 1:
        raise DepoError(f"episodes {episodes} is not positive")
    if not isinstance(run, Run) and is_policy_folder(run):
        return [evaluate_policy(run, episodes=episodes, dynamics=dynamics, trust=trust)]
    run = as_run(run, env=env, trust=trust)
    run.check_imports()
    job = run.job if dynamics is None else under(run.job, dynamics)
    problem = open_problem_of(run, job, episodes)
    try:
        progress = run.latest()[1]
        state = run.load(problem.skeleton())
        policies = [problem.learner.policy(state, i) for i in range(len(run.job.seeds))]
        scores = problem.report(*problem.policies_and_skills(state))
        chosen = family_of(run.job.environment).plays_episodes
        return [
            {
                "seed": seed,
                "env_steps": run.job.steps_at(progress.block),
                **({"episodes": episodes} if chosen else {}),
                **scores[i],
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
        own, changed = (x.gymnasium().vector_sizes()[1:] for x in (job.environment, other))
        if own != changed:
            raise DepoError(
                f"under dynamics '{dynamics}' an action has {changed[0]} numbers, this policy "
                f"gives {own[0]}: 'depo transfer' learns a skill for them"
            )
    return dataclasses.replace(job, environment=other)


def load_policies(run: Run) -> list[PolicyModel]:
    """The policies of all seeds at the last checkpoint."""
    problem = open_problem_of(run)
    try:
        state = run.load(problem.skeleton())
        return [problem.learner.policy(state, i) for i in range(len(run.job.seeds))]
    finally:
        problem.close()


def load_policy(run: Run, seed: int | None) -> tuple[int, PolicyModel]:
    """One seed, the first if none is named, and its policy at the last checkpoint."""
    chosen = run.job.seeds[0] if seed is None else seed
    if chosen not in run.job.seeds:
        raise DepoError(f"{run.path} has the seeds {list(run.job.seeds)}, not {chosen}")
    return chosen, load_policies(run)[run.job.seeds.index(chosen)]


def gymnasium_of(job: Job) -> GymnasiumEnvironment:
    """The environment of a job with the memory its policy needs; co-trained, of its first variant,
    whose policy :func:`load_policies` gives."""
    return dataclasses.replace(
        job.first_environment.gymnasium(), remember=uses_memory(job.settings)
    )


def planner_digest(policy: PolicyModel) -> dict[str, str]:
    """A fingerprint of the planner, where there is one: transfer must not change it."""
    if not isinstance(policy, DecoupledPolicy):
        return {}
    return {"planner_digest": digest(policy.planner)}

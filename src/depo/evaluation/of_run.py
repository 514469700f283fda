"""Scores of what a run has learned, beyond those it logged: episodes in a fresh simulator."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import jax

from depo.environments.host import HostEnvironment
from depo.errors import DepoError
from depo.evaluation.rollouts import RolloutEvaluator
from depo.learners.on_policy import LearnerState
from depo.runs.problem import open_problem
from depo.runs.run import Run
from depo.weights import digest, load_tree


def evaluate(run: str | Path | Run, *, episodes: int = 10) -> list[dict[str, float | str]]:
    """Scores of each seed at the last checkpoint.

    The deterministic policy plays ``episodes`` episodes on held-out seeds in a simulator of its
    own; where the world is known exactly, exact scores stand beside.
    """
    if episodes < 1:
        raise DepoError(f"episodes {episodes} is not positive")
    run = run if isinstance(run, Run) else Run.open(run)
    problem = open_problem(run.job, run.demonstrations(), str(run.path))
    environment = run.job.environment
    arguments = dict(environment.arguments)
    if environment.world is not None:
        arguments = dataclasses.asdict(environment.world)
    simulator = RolloutEvaluator(
        HostEnvironment(environment.id, arguments), run.job.seeds, episodes
    )
    try:
        file, progress = run.latest()
        state = load_tree(file, problem.skeleton())
        exact = problem.evaluate(state) if problem.exact else [{} for _ in run.job.seeds]
        played = simulator(problem.learner.policies(state))
        return [
            {
                "seed": seed,
                "env_steps": progress.block * run.job.steps_per_block,
                "episodes": episodes,
                **played[i],
                **exact[i],
                **planner_digest(state, i),
            }
            for i, seed in enumerate(run.job.seeds)
        ]
    finally:
        problem.close()
        simulator.close()


def planner_digest(state: LearnerState, index: int) -> dict[str, str]:
    """A fingerprint of one seed's planner, where there is one: transfer must not change it."""
    if "planner" not in state.agent:
        return {}
    return {
        "planner_digest": digest(jax.tree.map(lambda x: x[index], state.agent["planner"].model))
    }

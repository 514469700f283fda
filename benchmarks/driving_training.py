"""Speed of gathering in training on driving: by the Gymnasium vector environment, and compiled.

    python benchmarks/driving_training.py [RECORDING]                all cores
    taskset -c 1 python benchmarks/driving_training.py [RECORDING]   one core

Both ways sample the same policy (the planner of the preset ``fast``, then the formula that is the
skill), take the same random numbers and give the same transitions, which is checked. Below, whole
training: gathering and updates at the preset's settings. Seconds of the processor stand beside
seconds of the clock, since other work may share the machine. Without RECORDING, the one that ships.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import jax
import numpy as np

import depo  # noqa: F401  (registers the environment)
from depo.api import make_job
from depo.learners.gathering import Gathering, HostGathering
from depo.learners.off_policy import OffPolicyLearner
from depo.methods.settings_tree import with_values
from depo.runs.job import Job
from depo.runs.problem import open_problem

COPIES, LENGTH, TARGET = (50, 200, 1_000), 20, 100_000
"""Copies side by side, and steps of each in a burst: 50 × 20 is the preset's."""
REPEATS = 15


class Speed(NamedTuple):
    """Steps a second: the best of several, by the clock and by the processor's time."""

    clock: float
    processor: float


def speed(call: Callable[[], Any], steps: int, repeats: int = REPEATS) -> Speed:
    """Once for the compiler, then the best."""
    call()
    clock, processor = [], []
    for _ in range(repeats):
        began = time.perf_counter(), time.process_time()
        call()
        clock.append(time.perf_counter() - began[0])
        processor.append(time.process_time() - began[1])
    return Speed(steps / min(clock), steps / min(processor))


def job_of(recording: str, copies: int) -> Job:
    """The preset's job with other copies."""
    job = make_job("depo", env="driving", env_args={"recording": recording} if recording else {})
    return replace(
        job, settings=with_values(job.settings, {"copies": copies, "batch_steps": LENGTH * copies})
    )


def from_python(job: Job) -> HostGathering:
    """The way through Gymnasium."""
    return HostGathering(job.environment.gymnasium(), job.settings.collection.copies)


def gathering_speeds(job: Job) -> tuple[Speed, Speed]:
    """Before and after: from the draws of random numbers to the rows in the replay."""
    problem = open_problem(job)
    learner = problem.learner
    assert isinstance(learner, OffPolicyLearner)
    state = problem.initial_state()
    policy, collector = learner.method.policy(state.agents[0]), learner.collectors[0]
    ways: list[Gathering] = [from_python(job), collector.gathering]
    rows, speeds = [], []
    for collector.gathering in ways:
        collector.reset(0)
        collector.replay.total = job.settings.exploration.random_steps  # the policy acts
        collector.gather(policy)
        rows.append(collector.replay.newest(job.settings.collection.batch_steps))
        speeds.append(speed(lambda: collector.gather(policy), job.settings.collection.batch_steps))
    for before, after in zip(*rows, strict=True):
        np.testing.assert_array_equal(before, after)
    return speeds[0], speeds[1]


def training_speed(job: Job, compiled: bool) -> Speed:
    """Bursts of gathering and updates, evaluation apart."""
    problem = open_problem(job)
    learner = problem.learner
    assert isinstance(learner, OffPolicyLearner)
    collector, state = learner.collectors[0], problem.initial_state()
    if not compiled:
        collector.gathering = from_python(job)
    learner.synchronise(state, 0)
    own = [state.agents[0], state.averages[0]]
    steps = job.settings.collection.batch_steps

    def burst() -> None:
        own[0], own[1], _ = learner.burst(collector, own[0], own[1])
        jax.block_until_ready(jax.tree.leaves(own[1]))

    while collector.replay.total < job.settings.exploration.random_steps + steps:
        burst()
    return speed(burst, steps, 5)


def line(label: str, before: Speed, after: Speed) -> str:
    columns = "".join(f" {value:12,.0f}" for value in (*before, *after))
    return f"{label:28}{columns} {after.clock / before.clock:7.1f}"


def main() -> None:
    recording = sys.argv[1] if len(sys.argv) > 1 else ""
    load = os.getloadavg()[0]
    print(f"{len(os.sched_getaffinity(0))} core(s), load {load:.1f}; steps a second, the best of")
    print(f"several bursts of {LENGTH} steps in every copy, by the clock and the processor's time")
    print(f"\n{'':28} {'Gymnasium':>25} {'compiled':>25}")
    print(f"{'':28} {'clock':>12} {'processor':>12} {'clock':>12} {'processor':>12} {'×':>7}")
    fastest = 0.0
    for copies in COPIES:
        before, after = gathering_speeds(job_of(recording, copies))
        fastest = max(fastest, after.clock)
        print(line(f"gathering, {copies} copies", before, after), flush=True)
    for copies in COPIES[:2]:
        job = job_of(recording, copies)
        before, after = (training_speed(job, compiled) for compiled in (False, True))
        print(line(f"training, {copies} copies", before, after), flush=True)
    print(f"\ntarget {TARGET:,} in gathering: {'reached' if fastest >= TARGET else 'missed'}")


if __name__ == "__main__":
    main()

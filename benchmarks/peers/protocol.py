"""What every worker of ``peers.py`` does alike: its job, its clock and its evaluations.

A worker reads a JSON job from its input and writes JSON lines of ``seconds``, ``env_steps`` and
``return``. It runs in an environment of its own, so nothing of this package is imported here. The
clock stands still while a policy is evaluated here: that is the benchmark's doing, not the peer's.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

FIRST_SEED = 10_000
"""Of the evaluation's episodes, away from those of training."""


class TimeUpError(Exception):
    """Ends a training whose library offers no other way."""


@dataclass(frozen=True)
class Job:
    """One seed of one contender on one task."""

    env: str
    """Gymnasium id."""
    seed: int
    seconds: float
    every: int
    """Environment steps between evaluations."""
    episodes: int
    demos: str
    """An .npz with 'observations', 'episode_lengths' and perhaps 'actions'."""
    threads: int
    method: str = ""
    """Of this package's own workers."""
    steps: int = 0
    """Length of a run, for those whose rates depend on it; 0: until time is up."""
    out: str = ""


def read_job() -> Job:
    """The job on the input."""
    return Job(**json.load(sys.stdin))


def episodes_of(path: str) -> list[tuple[np.ndarray, np.ndarray | None]]:
    """States of every episode, and actions, one for each state, where they were recorded."""
    with np.load(path, allow_pickle=False) as file:
        cuts = np.cumsum(file["episode_lengths"])[:-1]
        states = np.split(file["observations"], cuts)
        actions = np.split(file["actions"], cuts) if "actions" in file else [None] * len(states)
    return list(zip(states, actions, strict=True))


def tell(seconds: float, steps: int, score: float) -> None:
    """One line of the answer."""
    row = {"seconds": round(seconds, 2), "env_steps": int(steps), "return": round(score, 3)}
    sys.stdout.write(json.dumps(row) + "\n")
    sys.stdout.flush()


class Watch:
    """Evaluates at intervals and tells what it saw."""

    def __init__(self, job: Job):
        import gymnasium

        self._job, self._env = job, gymnasium.make(job.env)
        self._begun, self._paused = time.perf_counter(), 0.0
        self._next = 0

    def seconds(self) -> float:
        """Of learning, compilation included, evaluations here not."""
        return time.perf_counter() - self._begun - self._paused

    def look(self, steps: int, act: Callable[[np.ndarray], Any], *, offline: bool = False) -> bool:
        """Evaluate if it is time to; whether time is up. ``offline``: steps are updates, and the
        environment was not stepped at all."""
        over = self.seconds() >= self._job.seconds
        if steps >= self._next or over:
            self._next = steps + self._job.every
            self._tell(0 if offline else steps, act)
        return over

    def _tell(self, steps: int, act: Callable[[np.ndarray], Any]) -> None:
        spent, begun = self.seconds(), time.perf_counter()
        scores = [self._episode(FIRST_SEED + i, act) for i in range(self._job.episodes)]
        tell(spent, steps, float(np.mean(scores)))
        self._paused += time.perf_counter() - begun

    def _episode(self, seed: int, act: Callable[[np.ndarray], Any]) -> float:
        state, _ = self._env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            state, reward, terminated, truncated, _ = self._env.step(np.asarray(act(state)))
            total, over = total + float(reward), terminated or truncated
        return total

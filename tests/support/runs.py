"""Small runs that several tests look at: the same everywhere, so that they are compiled once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import depo
from depo.api import make_job
from depo.runs.job import Job
from depo.runs.run import Run
from depo.runs.training import begin
from tests.environments.point import ID, STEP, straight_demonstrations
from tests.support.arguments import flat


def train(method: str, folder: Path, expert=straight_demonstrations, **changes) -> Run:
    """A run in the plane, below ``folder``, from an expert that walks right."""
    demos = expert(folder / "demos.npz")
    return depo.train(method, env=ID, demos=demos, out=folder / "run", **flat(**changes))


def resumes_exactly(method: str, folder: Path, **changes) -> bool:
    """Whether a run that is cut off after its first checkpoint ends as one that is not."""
    whole = train(method, folder, **changes)
    stopped = begin(whole.job, folder / "stopped")
    after = whole.job.blocks * whole.job.steps_per_block // 2

    def kill(evaluation: depo.Evaluation) -> None:
        if evaluation.steps >= after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        depo.resume(stopped.path, callbacks=[depo.Call(kill)])
    depo.resume(stopped.path)
    files = [(run.path / "metrics.csv", run.latest()[0]) for run in (whole, stopped)]
    return all(a.read_bytes() == b.read_bytes() for a, b in zip(*files, strict=True))


def mean_action(run: Run) -> np.ndarray:
    """What the policy of a run in the plane does, over the states where the expert began."""
    return np.mean(run.policy().act(np.random.default_rng(1).uniform(-1, 1, (50, 2))), axis=0)


def best_return() -> float:
    """Of the plane: walk to the line y = 0 at full speed and stay there."""
    starts = np.abs(np.random.default_rng(0).uniform(-1, 1, 10_000))
    steps = np.arange(1, 41)[:, None]
    return float(-np.maximum(starts - STEP * steps, 0).sum(axis=0).mean())


def cloning() -> Job:
    """Behaviour cloning in a grid world, with three checkpoints."""
    small = {"size": 3, "hidden": 8, "batch_steps": 64, "checkpoint_every": 2}
    return make_job("bco", steps=384, **flat(**small))

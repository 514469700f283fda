"""Small runs that several tests look at: the same everywhere, so that they are compiled once."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import depo
from depo.api import make_job
from depo.runs.job import Job
from depo.runs.run import Run
from tests.environments.point import ID, STEP, straight_demonstrations
from tests.support.arguments import flat


def train(method: str, folder: Path, **changes) -> Run:
    """A run in the plane, below ``folder``, from an expert that walks right."""
    demos = straight_demonstrations(folder / "demos.npz")
    return depo.train(method, env=ID, demos=demos, out=folder / "run", **flat(**changes))


def best_return() -> float:
    """Of the plane: walk to the line y = 0 at full speed and stay there."""
    starts = np.abs(np.random.default_rng(0).uniform(-1, 1, 10_000))
    steps = np.arange(1, 41)[:, None]
    return float(-np.maximum(starts - STEP * steps, 0).sum(axis=0).mean())


def cloning() -> Job:
    """Behaviour cloning in a grid world, with three checkpoints."""
    small = {"size": 3, "hidden": 8, "batch_steps": 64, "checkpoint_every": 2}
    return make_job("bco", steps=384, **flat(**small))

"""A recording with actions that holds next to nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from depo.data import Demonstrations
from depo.environments.mujoco import TASKS


def with_actions(path: Path, states: int = 11, actions: int = 3) -> None:
    """Five short episodes in Hopper's shape, with what was done."""
    drawn = np.random.default_rng(0)
    path.parent.mkdir(parents=True, exist_ok=True)
    Demonstrations(
        drawn.normal(size=(150, states)) * 0.1,
        np.full(5, 30),
        actions=drawn.uniform(-1, 1, size=(150, actions)),
    ).save(path)


def of_every_task(folder: Path) -> Path:
    """The same under the name of every task, also of those without a recording that ships."""
    for task in TASKS:
        with_actions(folder / f"{task}.npz")
    return folder

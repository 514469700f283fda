"""From settings to an environment: the recording is read and prepared once for all copies."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from depo.environments.driving.environment import DrivingEnvironment
from depo.environments.driving.scene import Scene, make_scene
from depo.environments.driving.settings import DrivingSettings, Part
from depo.environments.driving.vehicles import vehicle_type
from depo.traffic.preparation import split_of
from depo.traffic.recording import Recording


def open_environment(
    settings: DrivingSettings, recording: Recording | None = None
) -> DrivingEnvironment:
    """The environment that settings describe, in the recording they name or a given one."""
    if recording is None:
        path = Path(settings.recording)
        recording = _loaded(path, path.stat().st_mtime_ns if path.exists() else 0)
    return DrivingEnvironment(
        _scene(recording),
        vehicle_type(settings.vehicle),
        vehicles_of(recording, settings.part),
        horizon=settings.horizon,
        depth=settings.overlap,
        arrival_ends=settings.arrival == "end",
    )


def vehicles_of(recording: Recording, part: Part) -> np.ndarray:
    """The vehicles of a part of a recording, sorted."""
    split = split_of(recording)
    if part == "all":
        return np.sort([*split.train, *split.validation, *split.test])
    return np.sort(getattr(split, part))


@lru_cache(maxsize=4)
def _loaded(path: Path, changed: int) -> Recording:
    del changed  # a file written anew is read anew
    return Recording.load(path)


@lru_cache(maxsize=4)
def _scene(recording: Recording) -> Scene:
    return make_scene(recording)

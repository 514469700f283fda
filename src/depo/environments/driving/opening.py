"""From settings to an environment: the recording is read and prepared once for all copies."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from depo.environments.driving.environment import DrivingEnvironment
from depo.environments.driving.scene import Scene, make_scene
from depo.environments.driving.settings import DrivingSettings, Part
from depo.environments.driving.vehicles import vehicle_type
from depo.traffic.recording import Recording

SPLIT = 0
"""The seed of the draw that divides vehicles into parts."""
SHARES = {"train": (0.0, 0.7), "validation": (0.7, 0.85), "test": (0.85, 1.0), "all": (0.0, 1.0)}


def open_environment(
    settings: DrivingSettings, recording: Recording | None = None
) -> DrivingEnvironment:
    """The environment that settings describe, in the recording they name or a given one."""
    if recording is None:
        path = Path(settings.recording)
        recording = _loaded(path, path.stat().st_mtime_ns if path.exists() else 0)
    scene = _scene(recording, settings.smoothing)
    return DrivingEnvironment(
        scene,
        vehicle_type(settings.vehicle),
        part_of(scene, settings.part),
        horizon=settings.horizon,
        depth=settings.overlap,
        arrival_ends=settings.arrival == "end",
    )


def part_of(scene: Scene, part: Part) -> np.ndarray:
    """The vehicles of a part."""
    order = np.random.default_rng(SPLIT).permutation(np.flatnonzero(scene.drivable))
    begin, end = (round(share * len(order)) for share in SHARES[part])
    return np.sort(order[begin:end])


@lru_cache(maxsize=4)
def _loaded(path: Path, changed: int) -> Recording:
    del changed  # a file written anew is read anew
    return Recording.load(path)


@lru_cache(maxsize=4)
def _scene(recording: Recording, smoothing: int) -> Scene:
    return make_scene(recording, smoothing)

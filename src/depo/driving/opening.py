"""From settings to an environment: the recording is read and prepared once for all copies."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from depo.data.demonstrations import Demonstrations
from depo.driving.environment import DrivingEnvironment
from depo.driving.expert import expert_demonstrations
from depo.driving.scene import Scene, scene_of
from depo.driving.settings import DrivingSettings, Part
from depo.driving.traffic.preparation import split_of
from depo.driving.traffic.recording import Recording
from depo.driving.traffic.scenes import DEFAULT, find_recording, load_scene
from depo.driving.vehicles import find_vehicle


def open_environment(
    settings: DrivingSettings, recording: Recording | None = None
) -> DrivingEnvironment:
    """The environment that settings describe, in the recording they name or a given one."""
    recording = open_recording(settings.recording) if recording is None else recording
    return DrivingEnvironment(
        _scene(recording),
        find_vehicle(settings.vehicle),
        vehicles_of(recording, settings.part),
        horizon=settings.horizon,
        depth=settings.overlap,
        arrival_ends=settings.arrival == "end",
        gaps=settings.neighbours == "gaps",
    )


def driving_demonstrations(settings: DrivingSettings) -> Demonstrations:
    """The recorded drivers' states, of the vehicles to train on, whoever imitates them."""
    return expert_demonstrations(
        open_environment(replace(settings, part="train", vehicle="normal"))
    )


def open_recording(name: str = "") -> Recording:
    """The recording of a file or a shipped name, with its split; read once."""
    path = find_recording(name or DEFAULT)
    return _loaded(path, path.stat().st_mtime_ns if path.exists() else 0)


def vehicles_of(recording: Recording, part: Part) -> np.ndarray:
    """The vehicles of a part of a recording, sorted."""
    split = split_of(recording)
    if part == "all":
        return np.sort([*split.train, *split.validation, *split.test])
    return np.sort(getattr(split, part))


@lru_cache(maxsize=4)
def _loaded(path: Path, changed: int) -> Recording:
    del changed  # a file written anew is read anew
    return load_scene(path)


@lru_cache(maxsize=4)
def _scene(recording: Recording) -> Scene:
    return scene_of(recording)

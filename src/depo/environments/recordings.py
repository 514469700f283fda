"""Recordings of one's own for an environment of one's own: imported at its step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
from gymnasium.spaces import Box, Discrete

from depo.core.errors import DepoError
from depo.data.importing.pipeline import Imported, ImportSettings, Progress, import_files
from depo.data.importing.target import Target, low_of_turn
from depo.environments.family import family_of
from depo.environments.given import EnvironmentLike, environment_of

ATTRIBUTES = ("dt", "tau", "control_timestep", "timestep")
"""Where simulators say how many seconds a step is."""


class Facts(NamedTuple):
    """What an import asks of an environment."""

    id: str
    step: float | None
    """Seconds; None: it does not say."""
    dimension: int | None
    """Numbers in a state; None: states are finite."""
    names: tuple[str, ...] = ()
    """What the environment calls them, if it does."""
    lows: Mapping[int, float] = {}
    """Where the range of a feature begins that is one turn."""


def facts_of(
    env: EnvironmentLike, arguments: Mapping[str, Any] | None = None, observe: str = ""
) -> Facts:
    """Ask an environment for its step and the length of its states.

    >>> facts_of("Pendulum-v1")
    Facts(id='Pendulum-v1', step=0.05, dimension=3, names=(), lows={})
    """
    environment = environment_of(env, arguments, observe=observe)
    own = environment.gymnasium()
    made = own.make()
    try:
        space = made.observation_space
        step = family_of(environment).time_step(environment) or _step_of(made)
        if isinstance(space, Discrete):
            return Facts(own.id, step, None)
        if not isinstance(space, Box):
            raise DepoError(f"environment '{own.id}' has the state space {space}: expected vectors")
        bounds = zip(space.low.ravel().tolist(), space.high.ravel().tolist(), strict=True)
        lows = {i: low for i, ends in enumerate(bounds) if (low := low_of_turn(*ends)) is not None}
        return Facts(own.id, step, len(space.low.ravel()), own.feature_names(), lows)
    finally:
        made.close()


def _step_of(env: gym.Env) -> float | None:
    for name in ATTRIBUTES:
        if (step := _positive(getattr(env.unwrapped, name, None))) is not None:
            return step
    rate = _positive(env.metadata.get("render_fps"))
    return None if rate is None else 1 / rate


def _positive(value: object) -> float | None:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if 0 < number < math.inf else None


def import_recordings(
    paths: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    env: EnvironmentLike = "",
    env_args: Mapping[str, object] | None = None,
    observe: str = "",
    columns: Sequence[str] = (),
    time: str = "",
    episode: str = "",
    hz: float = 0.0,
    recorded_hz: float = 0.0,
    max_gap: float = 0.0,
    shortest: int = 10,
    velocities: bool = False,
    finite: bool = False,
    skip_unreadable: bool = False,
    progress: Progress = lambda file, share: None,
) -> Imported:
    """Make demonstrations of recordings: CSV, Parquet, NPZ, HDF5, Minari, LeRobot, LocoMuJoCo.

    ``paths`` are files, folders or patterns; ``out`` is the ``.npz`` file to write. With ``env``
    states are one of its steps apart and as long as its own. ``.reports`` says what was kept,
    repaired and dropped of each file, ``.demonstrations()`` loads the result::

        depo.import_recordings("logs/*.csv", "walks.npz", env="hopper", columns=["hip:deg", "x"])
    """
    settings = ImportSettings(
        columns=(columns,) if isinstance(columns, str) else tuple(columns),
        time=time,
        episode=episode,
        hz=hz,
        recorded_hz=recorded_hz,
        max_gap=max_gap,
        shortest=shortest,
        velocities=velocities,
        finite=finite,
        skip_unreadable=skip_unreadable,
    )
    return import_for(
        paths, out, settings, env=env, env_args=env_args, observe=observe, progress=progress
    )


def import_for(
    paths: str | Path | Sequence[str | Path],
    out: str | Path,
    settings: ImportSettings,
    *,
    env: EnvironmentLike = "",
    env_args: Mapping[str, Any] | None = None,
    observe: str = "",
    progress: Progress = lambda file, share: None,
) -> Imported:
    """The same with settings as one object."""
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    if isinstance(env, str) and not env:
        return import_files(given, out, settings, progress=progress)
    facts = facts_of(env, env_args, observe)
    if facts.dimension is None and not settings.finite:
        settings = replace(settings, finite=True)
    return import_files(
        given,
        out,
        settings,
        step=None if facts.dimension is None else facts.step,
        target=Target(facts.id, facts.dimension, facts.names, facts.lows, facts.step is not None),
        progress=progress,
    )

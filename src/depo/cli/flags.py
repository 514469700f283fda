"""Flags from dataclasses, in two stages: method, environment and preset first, then all fields."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from itertools import takewhile
from typing import Annotated, Any, Literal, TypeVar

import tyro

from depo.api import GRID_NAMES, default_steps, host_settings, learner_for
from depo.environments.gridworld import GridWorldSettings
from depo.errors import DepoError
from depo.presets import preset_settings
from depo.runs.job import EnvironmentSettings, Job
from depo.settings import MethodSettings

Command = TypeVar("Command")


@dataclass(frozen=True)
class CommonFlags:
    """What every training command takes."""

    env: str = "gridworld"
    """'gridworld', 'driving', a MuJoCo task (hopper, walker2d, half-cheetah, inverted-pendulum,
    ant, humanoid), or any Gymnasium id with finite or vector spaces ('module:Id-v0' imports)."""
    demos: str = ""
    """Demonstrations: an .npz file or a shipped name; empty: the environment's default."""
    steps: int = 12_800
    """Environment steps for each seed."""
    seed: int = 0
    """The first seed."""
    seeds: int = 1
    """How many seeds, trained together: SEED, SEED+1, …"""
    preset: Literal["fast", "paper"] = "fast"
    """Where the other defaults come from: what works best, or what the authors did."""
    skill: str = ""
    """A skill folder to begin with (--skill-rate 0 keeps it as it is); empty: a fresh skill."""
    out: str = ""
    """The run's folder; empty: the next free one below runs/."""
    json: bool = False
    """Print the result as JSON."""


def parse(command: type[Command], argv: list[str], prog: str) -> Command:
    """Flags of a plain dataclass; tyro explains, suggests and exits with 2 on a wrong one."""
    return tyro.cli(command, args=argv, prog=prog, config=(tyro.conf.FlagCreatePairsOff,))


def parse_job(
    method: str,
    argv: list[str],
    prog: str,
    description: str,
    *,
    planner: str = "",
) -> tuple[Job, CommonFlags]:
    """The job that a command line describes.

    Stage one reads environment and preset, because they decide which flags there are and their
    defaults; stage two lets an explicit flag beat the preset.
    """
    env = peek(argv, "--env") or "gridworld"
    preset = peek(argv, "--preset") or "fast"
    is_grid = env in GRID_NAMES
    host = None if is_grid else host_settings(env, dict(_peek_arguments(argv)))
    learner = learner_for(host)
    settings = preset_settings(method, preset, learner, host.id if host else "")
    world_kind: Any = GridWorldSettings if is_grid else HostFlags
    steps = default_steps(method, learner)
    defaults = CommonFlags(steps=steps, preset=preset)  # type: ignore[arg-type]
    fields: list[tuple[str, Any, Any]] = [
        ("common", _flat(CommonFlags), defaults),
        ("world", _flat(world_kind), world_kind()),
        ("settings", _flat(type(settings)), settings),
    ]
    kind = dataclasses.make_dataclass(
        "Flags", [(n, t, dataclasses.field(default=d)) for n, t, d in fields], frozen=True
    )
    parsed: Any = tyro.cli(
        kind,
        args=argv,
        prog=prog,
        description=description,
        config=(tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff),
    )
    common: CommonFlags = parsed.common
    if common.seeds < 1:
        raise DepoError(f"--seeds {common.seeds} is not positive: it is how many seeds to run")
    return (
        Job(
            method=method,
            learner=learner,
            settings=_same_kind(parsed.settings, settings),
            environment=_environment(common.env, parsed.world),
            steps=common.steps,
            seeds=tuple(range(common.seed, common.seed + common.seeds)),
            preset=common.preset,
            demos=common.demos,
            skill=common.skill,
            planner=planner,
        ),
        common,
    )


@dataclass(frozen=True)
class HostFlags:
    """Arguments of a Gymnasium environment."""

    env_args: tuple[str, ...] = ()
    """Arguments of the environment's constructor, NAME=VALUE, values as JSON."""


def peek(argv: list[str], flag: str) -> str:
    """The value of a flag before it is parsed: the last one, as the parser takes it."""
    value = ""
    for i, word in enumerate(argv):
        if word == flag and i + 1 < len(argv):
            value = argv[i + 1]
        elif word.startswith(flag + "="):
            value = word.partition("=")[2]
    return value


def _flat(kind: Any) -> Any:
    return Annotated[kind, tyro.conf.arg(name="")]


def _same_kind(parsed: Any, settings: MethodSettings) -> MethodSettings:
    assert type(parsed) is type(settings)
    return parsed


def _environment(env: str, world: Any) -> EnvironmentSettings:
    if isinstance(world, GridWorldSettings):
        return EnvironmentSettings(world=world)
    return host_settings(env, dict(_argument(text) for text in world.env_args))


def _peek_arguments(argv: list[str]) -> list[tuple[str, Any]]:
    """Constructor arguments before they are parsed: the spaces may depend on them."""
    if "--env-args" not in argv:
        return []
    words = argv[argv.index("--env-args") + 1 :]
    return [_argument(w) for w in takewhile(lambda w: not w.startswith("--"), words)]


def _argument(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise DepoError(f"--env-args '{text}' is not NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value

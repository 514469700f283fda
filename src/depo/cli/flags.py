"""Flags from dataclasses, in two stages: method, environment and preset first, then all fields."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Annotated, Any, Literal, TypeVar

import tyro

from depo.api import default_steps, find_environment, known_skill, learner_for, short_name
from depo.environments.gridworld import GridWorldSettings
from depo.errors import DepoError
from depo.models.skill_source import shaped_like
from depo.presets import preset_settings
from depo.runs.job import EnvironmentSettings, Job, first_seeds
from depo.settings import TRANSFER, MethodSettings

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
    """A skill folder to begin with (--skill-rate 0 keeps it as it is); in a transfer with --steps 0
    also a formula, module:function; empty: a fresh skill."""
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
    cotrains: bool = False,
) -> tuple[Job, CommonFlags]:
    """The job that a command line describes.

    Stage one reads environment, dynamics and preset, because they decide which flags there are and
    their defaults; stage two lets an explicit flag beat the preset.
    """
    env, preset = peek(argv, "--env"), peek(argv, "--preset") or "fast"
    found = find_environment(env, planner, dict(_peek_arguments(argv)))
    learner = learner_for(found)
    dynamics = peek(argv, "--dynamics")
    settings = preset_settings(method, preset, learner, found.id, dynamics)
    if method == TRANSFER:
        settings = shaped_like(settings, peek(argv, "--skill"))
    steps = default_steps(method, learner)
    defaults = CommonFlags(env=short_name(found), steps=steps, preset=preset)  # type: ignore[arg-type]
    world: Any = found.world or HostFlags()
    fields: list[tuple[str, Any, Any]] = [
        ("common", _flat(CommonFlags), defaults),
        ("world", _flat(type(world)), world),
        ("settings", _flat(type(settings)), settings),
    ]
    if cotrains:
        fields.insert(0, ("together", _flat(TypeFlags), TypeFlags()))
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
    together: TypeFlags = parsed.together if cotrains else TypeFlags()
    seeds = first_seeds(common.seed, common.seeds)
    return (
        Job(
            method=method,
            learner=learner,
            settings=_same_kind(parsed.settings, settings),
            environment=_environment(env, planner, parsed.world),
            steps=common.steps,
            seeds=seeds,
            preset=common.preset,
            demos=common.demos,
            skill=known_skill(method, found, common.skill),
            planner=planner,
            types=together.names(),
            schedule=together.schedule,
        ),
        common,
    )


@dataclass(frozen=True)
class TypeFlags:
    """What co-training takes."""

    types: str = ""
    """The kinds that share a planner, comma-separated: vehicles (normal,inverse,transpose,truck),
    k of the grid world (1,2,4), elsewhere dynamics ('as-is,inverted'; with commas inside, separate
    by semicolons: 'as-is;mixed,gravity=0.8') or other environments with the same states
    ('mine:LightArm-v0,mine:HeavyArm-v0')."""
    schedule: Literal["round-robin", "joint"] = "round-robin"
    """Kinds take turns with the planner, or it follows the sum of their losses (depo and
    depo-agnostic)."""

    def names(self) -> tuple[str, ...]:
        """The kinds by name."""
        words = self.types.split(";" if ";" in self.types else ",")
        return tuple(word.strip() for word in words if word.strip())


@dataclass(frozen=True)
class HostFlags:
    """Arguments of a Gymnasium environment."""

    env_args: tuple[str, ...] = ()
    """Arguments of the environment's constructor, NAME=VALUE, values as JSON."""
    dynamics: str = ""
    """What actions do instead, comma-separated: inverted, transposed[=2-0-1], mixed, scaled=F,
    delayed; on MuJoCo gravity=F, mass=F, friction=F, damping=F."""


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


def _environment(env: str, planner: str, world: Any) -> EnvironmentSettings:
    if isinstance(world, GridWorldSettings):
        return EnvironmentSettings(world=world)
    return find_environment(env, planner, parse_arguments(world.env_args), world.dynamics)


def parse_arguments(texts: Sequence[str]) -> dict[str, Any]:
    """Arguments of an environment's constructor from NAME=VALUE."""
    return dict(_argument(text) for text in texts)


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

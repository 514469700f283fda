"""The package's verbs, one call each: train, transfer, resume, evaluate."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from depo.environments.driving.settings import ID as DRIVING_ID
from depo.environments.driving.settings import environment_skill
from depo.environments.gridworld import ID as GRID_ID
from depo.environments.gridworld import GridWorldSettings
from depo.environments.mujoco import TASKS, task_of
from depo.errors import DepoError, unknown
from depo.files import read_object
from depo.models.skill_source import shaped_like, skill_name
from depo.presets import preset_settings
from depo.runs.job import EnvironmentSettings, Job, first_seeds
from depo.runs.run import CHECKPOINTS, SETTINGS, Run
from depo.settings import METHODS, OFF_POLICY, ON_POLICY, TRANSFER, Learner

if TYPE_CHECKING:
    from depo.runs.training import Report

DEFAULT_STEPS: dict[Learner, int] = {ON_POLICY: 12_800, OFF_POLICY: 60_000}
TRANSFER_STEPS: dict[Learner, int] = {ON_POLICY: 3_840, OFF_POLICY: 20_000}
LEARNED = "learned"
"""The skill that is asked for where a formula is known and not wanted."""
GRID_NAMES = ("gridworld", "GridWorld-v0", GRID_ID)
SHORT_NAMES: dict[str, tuple[str, dict[str, Any]]] = {**TASKS, "driving": (DRIVING_ID, {})}
"""Short name: Gymnasium id and constructor arguments."""


def make_job(
    method: str = "depo",
    *,
    env: str = "",
    demos: str | Path = "",
    steps: int | None = None,
    seed: int = 0,
    seeds: int = 1,
    preset: str = "fast",
    skill: Any = "",
    planner: str | Path = "",
    env_args: dict[str, Any] | None = None,
    dynamics: str = "",
    types: Sequence[str] = (),
    schedule: str = "round-robin",
    **overrides: Any,
) -> Job:
    """A checked job; ``overrides`` are fields of the method's or the grid world's settings.

    Without ``env`` it is the one the planner was trained in, or the grid world.

    >>> make_job("depo", k=4, seeds=3).environment.label
    'gridworld-6x6-k4'
    """
    if method not in (*METHODS, TRANSFER):
        raise unknown("method", method, METHODS)
    environment = find_environment(env, planner, env_args or {}, dynamics)
    learner = learner_for(environment)
    skill = known_skill(method, environment, skill_name(skill))
    settings = preset_settings(method, preset, learner, environment.id, dynamics)
    if method == TRANSFER:
        settings = shaped_like(settings, skill)
    is_grid = environment.world is not None
    world_fields = {f.name for f in dataclasses.fields(GridWorldSettings)} if is_grid else set()
    method_fields = {f.name for f in dataclasses.fields(settings)}
    for name in overrides:
        if name not in world_fields | method_fields:
            raise unknown(f"setting of {method}", name, world_fields | method_fields)
    if environment.world is not None:
        changes = {n: v for n, v in overrides.items() if n in world_fields}
        world = dataclasses.replace(environment.world, **changes)
        environment = dataclasses.replace(environment, world=world)
    numbers = first_seeds(seed, seeds)
    return Job(
        method=method,
        learner=learner,
        settings=dataclasses.replace(
            settings, **{n: v for n, v in overrides.items() if n in method_fields}
        ),
        environment=environment,
        steps=default_steps(method, learner) if steps is None else steps,
        seeds=numbers,
        preset=preset,
        demos=str(demos),
        skill=skill,
        planner=str(planner),
        types=tuple(str(name) for name in types),
        schedule=schedule,
    )


def find_environment(
    env: str, planner: str | Path = "", arguments: dict[str, Any] | None = None, dynamics: str = ""
) -> EnvironmentSettings:
    """The environment of that name; without one, where a planner was trained, but under no dynamics
    other than these; else the grid world.

    >>> find_environment("hopper", dynamics="inverted").label
    'hopper-v5-inverted'
    """
    arguments = arguments or {}
    home = None if env else home_of(planner)
    if home is not None and home.world is None:
        return host_settings(home.id, dict(home.arguments) | arguments, dynamics)
    if env and env not in GRID_NAMES:
        return host_settings(env, arguments, dynamics)
    if arguments:
        raise DepoError("env_args are for Gymnasium ids: the grid world takes size, k, walls, …")
    return dataclasses.replace(home or EnvironmentSettings(), dynamics=dynamics)


def home_of(planner: str | Path) -> EnvironmentSettings | None:
    """Where a planner was trained: a run's environment; of a folder on its own, the MuJoCo task
    that it names, if any."""
    path = Path(planner).absolute()
    if not str(planner):
        return None
    for run in (path, *path.parents[1:2]):  # RUN, or RUN/planner/seed-0
        if (run / CHECKPOINTS).is_dir():
            return Run.open(run).job.environment
    origin = read_object(path / SETTINGS).get("origin") if (path / SETTINGS).exists() else None
    task = task_of(str(origin.get("environment"))) if isinstance(origin, dict) else ""
    return host_settings(task, {}) if task else None


def host_settings(env: str, arguments: dict[str, Any], dynamics: str = "") -> EnvironmentSettings:
    """A Gymnasium id, or the short name of a MuJoCo task or of driving, as settings."""
    own: dict[str, Any] = {}
    if env in SHORT_NAMES:
        env, own = SHORT_NAMES[env]
    given = own | arguments
    if env == DRIVING_ID and Path(str(given.get("recording", ""))).is_file():
        given["recording"] = str(Path(given["recording"]).resolve())  # a run is opened anywhere
    return EnvironmentSettings(env, None, tuple(given.items()), dynamics)


def short_name(environment: EnvironmentSettings) -> str:
    """What the command line calls it.

    >>> short_name(find_environment("Hopper-v5")), short_name(find_environment(""))
    ('hopper', 'gridworld')
    """
    if environment.world is not None:
        return GRID_NAMES[0]
    return next((n for n, (id_, _) in SHORT_NAMES.items() if id_ == environment.id), environment.id)


def known_skill(method: str, environment: EnvironmentSettings, skill: str) -> str:
    """The skill asked for; where a vehicle's is known as a formula, that one unless 'learned'.

    >>> known_skill("depo", find_environment("driving"), "")
    'depo.environments.driving.skill:normal'
    """
    if skill == LEARNED:
        return ""
    has_skill = method in ("depo", "depo-agnostic", "depo-supervised", "depo-rl", "bco")
    if skill or environment.id != DRIVING_ID or not has_skill:
        return skill
    return environment_skill(environment)


def learner_for(environment: EnvironmentSettings) -> Learner:
    """The learner an environment needs, told by its spaces."""
    if environment.world is not None:
        return ON_POLICY
    from depo.environments.host import HostEnvironment

    is_finite = HostEnvironment(environment.id, dict(environment.arguments)).is_finite()
    return ON_POLICY if is_finite else OFF_POLICY


def default_steps(method: str, learner: Learner) -> int:
    """Environment steps of a run that names none."""
    return (TRANSFER_STEPS if method == TRANSFER else DEFAULT_STEPS)[learner]


def train(
    method: str = "depo", *, out: str | Path = "", report: Report | None = None, **arguments: Any
) -> Run:
    """Train a method and return its finished run; arguments as for :func:`make_job`.

    ``depo.train("depo", seeds=5, k=4, out="runs/mine")``
    """
    return run_job(make_job(method, **arguments), out, report)


def cotrain(
    method: str = "depo",
    *,
    types: Sequence[str],
    out: str | Path = "",
    report: Report | None = None,
    **arguments: Any,
) -> Run:
    """Train one planner with several kinds of an environment at once.

    ``depo.cotrain(env="driving", types=("normal", "inverse", "transpose"))``; on the grid world
    types are values of k, elsewhere texts of dynamics, 'as-is' among them, or ids of environments
    that share their states.
    """
    return run_job(make_job(method, types=types, **arguments), out, report)


def transfer(
    planner: str | Path, *, out: str | Path = "", report: Report | None = None, **arguments: Any
) -> Run:
    """Carry a planner to other actions or dynamics: the planner stays, a new skill is learned.

    ``planner`` is a planner folder, or a run whose seeds' planners are used:
    ``depo.transfer("runs/hopper", dynamics="mixed,gravity=0.8")``. Without ``env`` it is the one
    the planner was trained in. A skill that is known takes no environment step: ``skill`` is a
    folder, or a function (state, target) → action of a module, and ``steps=0``.
    """
    return run_job(make_job(TRANSFER, planner=planner, **arguments), out, report)


def resume(
    run: str | Path, *, report: Report | None = None, say: Callable[[str], None] | None = None
) -> Run:
    """Go on with a stopped run; it ends as it would have, had it never been stopped."""
    from depo.runs.training import go_on

    return go_on(Run.open(run), report, say)


def run_job(
    job: Job,
    out: str | Path = "",
    report: Report | None = None,
    say: Callable[[str], None] | None = None,
) -> Run:
    """Create the run's folder and work on it until it is finished."""
    from depo.runs.training import begin, go_on

    path = Path(out) if str(out) else free_folder(job)
    return go_on(begin(job, path), report, say)


def free_folder(job: Job) -> Path:
    """The next free ``runs/METHOD-ENVIRONMENT-NUMBER``."""
    number = 1
    while (path := Path("runs") / f"{job.method}-{job.environment.label}-{number}").exists():
        number += 1
    return path

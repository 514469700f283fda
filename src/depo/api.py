"""Train, transfer, cotrain, resume: one call each."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from depo.core.codec import check_fields
from depo.core.errors import DepoError
from depo.core.files import as_path
from depo.core.imports import allow
from depo.core.runtime import prepare_jax
from depo.data.demonstrations import Demonstrations
from depo.environments.given import EnvironmentLike
from depo.methods.for_environment import known_skill, learner_for
from depo.methods.ineffective import refuse_ineffective
from depo.methods.presets import compose
from depo.methods.registry import TRANSFER, find_method
from depo.methods.settings_tree import MethodSettings, with_values
from depo.models.skill_source import skill_name
from depo.runs.callbacks import Callback, checked
from depo.runs.free_folder import chosen_folder
from depo.runs.home import find_environment
from depo.runs.job import IN_MEMORY, Job, first_seeds
from depo.runs.run import Run, as_run

if TYPE_CHECKING:
    from depo.models.policy_folder import Formula

    SkillLike = Formula | Path
    """A skill folder, ``'module:function'``, or a function (state, target) → action of a module."""

Overrides = Mapping[str, int | float | str | bool]
"""Settings of a method by name."""
GIVEN = "given"
"""The preset of a job whose settings were given whole."""


def make_job(
    method: str = "depo",
    *,
    env: EnvironmentLike = "",
    env_args: Mapping[str, object] | None = None,
    dynamics: str = "",
    observe: str = "",
    demos: str | Path | Demonstrations = "",
    settings: MethodSettings | None = None,
    overrides: Overrides | None = None,
    steps: int | None = None,
    seed: int = 0,
    seeds: int = 1,
    preset: str = "fast",
    skill: SkillLike = "",
    planner: str | Path | Run = "",
    reward_from: str | Path | Run = "",
    variants: Sequence[str] = (),
    schedule: str = "round-robin",
    trust: bool = False,
) -> Job:
    """A checked job: what :func:`train`, :func:`transfer` and :func:`cotrain` run.

    Without ``env`` it is the one the planner was trained in, or the grid world. What is given here
    is imported where it names a module; what the planner's run says only if that is yours, or
    ``trust``.

    >>> make_job("depo", env_args={"k": 4}, seeds=3).environment.label
    'gridworld-6x6-k4'
    """
    _Plain(method, dynamics, observe, preset, schedule, seed, seeds, steps, env_args)
    spec = find_method(method)
    source = _checked_source(planner, "planner")
    environment = find_environment(env, source, env_args, dynamics, trust, observe)
    learner = learner_for(environment)
    name = known_skill(method, environment, skill_name(skill))
    own, overrides = spec.implementation(learner), _checked_overrides(overrides)
    if settings is None:
        told = (method, preset, learner, environment.id, dynamics, name, source)
        settings = compose(*told, flags=overrides).settings
    else:
        preset = GIVEN
        settings = with_values(_checked_settings(settings, own.settings, method), overrides)
    job = Job(
        method=method,
        learner=learner,
        settings=settings,
        environment=environment,
        steps=own.default_steps if steps is None else steps,
        seeds=first_seeds(seed, seeds),
        preset=preset,
        demos=IN_MEMORY if isinstance(demos, Demonstrations) else _checked_demos(demos),
        skill=name,
        planner=source,
        reward_from=_checked_source(reward_from, "reward_from"),
        variants=_checked_variants(variants),
        schedule=schedule,
    )
    return _allowed(job, overrides)


def _allowed(job: Job, overrides: Overrides) -> Job:
    """A job that the user asked for, in all of its words: it may import what it names."""
    allow(job.wants)
    refuse_ineffective(overrides, job.settings, job.facts)
    return job


@dataclass(frozen=True)
class _Plain:
    """Those arguments that are numbers, texts and tables; refused if they are not."""

    method: str
    dynamics: str
    observe: str
    preset: str
    schedule: str
    seed: int
    seeds: int
    steps: int | None
    env_args: Mapping[str, Any] | None

    def __post_init__(self) -> None:
        check_fields(self, "arguments")


def _checked_source(source: object, what: str) -> str:
    if isinstance(source, Run):
        return str(source.path)
    return source if isinstance(source, str) else str(as_path(source, what))


def _checked_variants(variants: object) -> tuple[str, ...]:
    if isinstance(variants, str) or not isinstance(variants, Sequence):
        raise DepoError(f"variants is {variants!r}: give a list of them, as ('1', '2', '4')")
    return tuple(map(str, variants))


def _checked_demos(demos: object) -> str:
    if isinstance(demos, str | Path):
        return str(demos)
    raise DepoError(
        f"demos is a {type(demos).__name__}: give a file, a shipped name, or "
        "Demonstrations.from_episodes([…])"
    )


def _checked_settings(settings: object, kind: type[MethodSettings], method: str) -> MethodSettings:
    """Settings of the class that the method has on such states, or a sentence."""
    if not isinstance(settings, kind) or type(settings) is not kind:
        raise DepoError(
            f"settings of the class {type(settings).__module__}.{type(settings).__qualname__} "
            f"are not those of {method} here: give {kind.__module__}.{kind.__qualname__}(…)"
        )
    return settings


def _checked_overrides(overrides: Overrides | None) -> Overrides:
    if overrides is not None and not isinstance(overrides, Mapping):
        raise DepoError(
            f"overrides is a {type(overrides).__name__}: give a mapping from names of settings to "
            "values, as {'skill_rate': 1e-3}"
        )
    return overrides or {}


def train(
    method: str = "depo",
    *,
    env: EnvironmentLike = "",
    env_args: Mapping[str, object] | None = None,
    dynamics: str = "",
    observe: str = "",
    demos: str | Path | Demonstrations = "",
    settings: MethodSettings | None = None,
    overrides: Overrides | None = None,
    steps: int | None = None,
    seed: int = 0,
    seeds: int = 1,
    preset: str = "fast",
    skill: SkillLike = "",
    reward_from: str | Path | Run = "",
    out: str | Path = "",
    callbacks: Sequence[Callback] = (),
    progress: bool = True,
    strict: bool = False,
) -> Run:
    """Train a method and return its finished run.

    ``depo.train("depo", env_args={"k": 4}, overrides={"skill_rate": 1e-3}, seeds=5)``. Where
    demonstrations do not seem to fit the environment it warns; ``strict`` refuses them.
    """
    job = make_job(
        method,
        env=env,
        env_args=env_args,
        dynamics=dynamics,
        observe=observe,
        demos=demos,
        settings=settings,
        overrides=overrides,
        steps=steps,
        seed=seed,
        seeds=seeds,
        preset=preset,
        skill=skill,
        reward_from=reward_from,
    )
    return run_job(job, out, shown(callbacks, progress), demos, strict)


def cotrain(
    method: str = "depo",
    *,
    variants: Sequence[str],
    schedule: str = "round-robin",
    env: EnvironmentLike = "",
    env_args: Mapping[str, object] | None = None,
    dynamics: str = "",
    observe: str = "",
    demos: str | Path | Demonstrations = "",
    settings: MethodSettings | None = None,
    overrides: Overrides | None = None,
    steps: int | None = None,
    seed: int = 0,
    seeds: int = 1,
    preset: str = "fast",
    skill: SkillLike = "",
    out: str | Path = "",
    callbacks: Sequence[Callback] = (),
    progress: bool = True,
    strict: bool = False,
) -> Run:
    """Train one planner with several variants of an environment at once.

    ``depo.cotrain(env="driving", variants=("normal", "inverse", "transpose"))``; on the grid world
    variants are values of k, elsewhere texts of dynamics, 'as-is' among them, or ids of
    environments that share their states. ``schedule``: they take turns ('round-robin'), or the
    planner follows the sum of their losses ('joint').
    """
    job = make_job(
        method,
        variants=variants,
        schedule=schedule,
        env=env,
        env_args=env_args,
        dynamics=dynamics,
        observe=observe,
        demos=demos,
        settings=settings,
        overrides=overrides,
        steps=steps,
        seed=seed,
        seeds=seeds,
        preset=preset,
        skill=skill,
    )
    return run_job(job, out, shown(callbacks, progress), demos, strict)


def transfer(
    planner: str | Path | Run,
    *,
    env: EnvironmentLike = "",
    env_args: Mapping[str, object] | None = None,
    dynamics: str = "",
    observe: str = "",
    demos: str | Path | Demonstrations = "",
    settings: MethodSettings | None = None,
    overrides: Overrides | None = None,
    steps: int | None = None,
    seed: int = 0,
    seeds: int = 1,
    preset: str = "fast",
    skill: SkillLike = "",
    out: str | Path = "",
    callbacks: Sequence[Callback] = (),
    progress: bool = True,
    strict: bool = False,
    trust: bool = False,
) -> Run:
    """Carry a planner to other actions or dynamics: the planner stays, a new skill is learned.

    ``planner`` is a planner folder, or a run whose seeds' planners are used:
    ``depo.transfer("runs/hopper", dynamics="mixed,gravity=0.8")``. Without ``env`` it is the one
    the planner was trained in. A skill that is known takes no environment step: ``skill`` is a
    folder, or a function (state, target) → action of a module, and ``steps=0``. ``trust`` is for
    a run that somebody else made, whose environment has a module imported.
    """
    job = make_job(
        TRANSFER,
        planner=planner,
        env=env,
        env_args=env_args,
        dynamics=dynamics,
        observe=observe,
        demos=demos,
        settings=settings,
        overrides=overrides,
        steps=steps,
        seed=seed,
        seeds=seeds,
        preset=preset,
        skill=skill,
        trust=trust,
    )
    return run_job(job, out, shown(callbacks, progress), demos, strict)


def resume(
    run: str | Path | Run,
    *,
    env: EnvironmentLike | None = None,
    callbacks: Sequence[Callback] = (),
    progress: bool = True,
    trust: bool = False,
) -> Run:
    """Go on with a stopped run; it ends as it would have, had it never been stopped.

    ``env`` is for a run whose environment was given as an object: the same again. ``trust`` lets a
    run that somebody else made import the modules it names.
    """
    from depo.runs.training import go_on

    prepare_jax()
    opened = as_run(run, env=env, trust=trust)
    return go_on(opened, shown(callbacks, progress))


def run_job(
    job: Job,
    out: str | Path = "",
    callbacks: Sequence[Callback] = (),
    demos: str | Path | Demonstrations = "",
    strict: bool = False,
) -> Run:
    """Create the run's folder and work on it until it is finished; before, look whether the
    demonstrations fit the environment, and warn (or, if ``strict``, refuse) where they do not."""
    from depo.analysis.recordings.before_training import RecordingWarning, check_before_training
    from depo.runs.training import start

    prepare_jax()
    in_memory = demos if isinstance(demos, Demonstrations) else None
    for sentence in check_before_training(job, in_memory, strict=strict):
        warnings.warn(sentence, RecordingWarning, stacklevel=3)
    with chosen_folder(job, out) as path:
        return start(job, path, callbacks, demos=in_memory)


def shown(callbacks: Sequence[Callback], progress: bool) -> tuple[Callback, ...]:
    """The callbacks, and a progress bar where somebody is watching."""
    from depo.runs.progress import ProgressBar, is_watched

    return (*checked(callbacks), *([ProgressBar()] if progress and is_watched() else []))

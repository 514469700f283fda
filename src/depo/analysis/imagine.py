"""Imagine with the planner of a run or of a folder, in the environment it is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from depo.analysis.evaluate import gymnasium_of, load_policy
from depo.analysis.imagination import Imagination, Imaginer, Source
from depo.analysis.imagined_drives import DriveImaginer
from depo.analysis.imagined_walks import WalkImaginer
from depo.analysis.recordings.named import environment_names
from depo.core.errors import DepoError
from depo.core.plugins import add_once
from depo.data.shipped import load_demonstrations
from depo.environments.by_name import named_environment
from depo.environments.family import EnvironmentSettings, family_of
from depo.environments.given import EnvironmentLike, environment_of
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.names import is_given
from depo.models.card import read_origin
from depo.models.folder import load_planner
from depo.models.planner import CategoricalPlanner, Planner
from depo.models.policy import DecoupledPolicy
from depo.runs.checkpoints import CHECKPOINTS
from depo.runs.home import home_of
from depo.runs.planners import is_nameless
from depo.runs.run import Run, as_run
from depo.zoo.entries import located

_imaginers: dict[str, Imaginer] = {}


def register_imaginer(family: str, imaginer: Imaginer) -> None:
    """Say how one imagines in a family; elsewhere it is done as on any vector states."""
    add_once(_imaginers, family, imaginer, "imaginer")


register_imaginer("grid", WalkImaginer())
register_imaginer("driving", DriveImaginer())


def imagine(
    source: str | Path | Run,
    *,
    env: EnvironmentLike = "",
    env_args: Mapping[str, object] | None = None,
    demos: str | Path = "",
    seed: int | None = None,
    steps: int = 100,
    after: int | None = None,
    starts: int = 10,
    trust: bool = False,
) -> Imagination:
    """Roll the planner of a run, or a planner folder, on its own predictions from real states.

    The real states are of the run's deterministic policy on held-out seeds, ``after`` steps into
    the episode; with ``demos`` they are the demonstrations'. A planner folder alone has no policy:
    without ``demos`` it begins where episodes begin and is compared with nothing. ``env`` is
    another environment of the same states, or the object a run's own environment was given as;
    ``trust`` lets a run that somebody else made import the modules it names.

    ``depo.imagine("runs/mine", steps=50, after=80).horizon(1.0)``
    """
    for name, value in [("steps", steps), ("starts", starts)]:
        if value < 1:
            raise DepoError(f"{name} {value} is not positive")
    opened = open_source(source, env, env_args or {}, seed, trust)
    imaginer = _imaginers.get(opened.environment.family, Imaginer())
    imaginer.check(opened)
    begin = default_start(opened, bool(str(demos))) if after is None else after
    if begin < 0:
        raise DepoError(f"after {begin} is negative: it counts real steps")
    recorded = load_demonstrations(str(demos)) if str(demos) else None
    return imaginer(opened, recorded, begin, steps, starts)


def open_source(
    source: str | Path | Run,
    env: EnvironmentLike,
    env_args: Mapping[str, object],
    seed: int | None,
    trust: bool = False,
) -> Source:
    """A run with its policy, or a planner folder; the environment given, or its own."""
    path = source.path if isinstance(source, Run) else located(source, "source", "planner")
    if isinstance(source, Run) or (path / CHECKPOINTS).is_dir():
        run = as_run(source, trust=trust)
        if not isinstance(env, str) and is_given(run.job.environment.id):
            run, env = run.with_environment(env), ""
        chosen, policy = load_policy(run, seed)
        if not isinstance(policy, DecoupledPolicy):
            raise DepoError(f"{path} was trained by '{run.job.method}', which has no planner")
        here = _environment(run.job.first_environment, env, env_args, policy.planner)
        own = gymnasium_of(run.job)  # actions do what they do in the run's
        shown = replace(here.gymnasium(), dynamics=own.dynamics, remember=own.remember)
        demos = run.demonstrations()
        names = _features(demos.feature_names if demos is not None else (), shown, policy.planner)
        return Source(policy.planner, here, shown, policy, chosen, path, run, names)
    planner, origin = load_planner(path), read_origin(path)
    found = home_of(path, _finite_states(planner), trust) if _asks_home(env) else None
    if found is None and isinstance(env, str) and not env:
        raise DepoError(
            f"planner {path} was trained in {origin.environment}: pass --env to say where to look"
        )
    here = _environment(found, env, env_args, planner)
    names = _features(origin.features, here.gymnasium(), planner)
    return Source(planner, here, here.gymnasium(), None, origin.seed, path, features=names)


def _features(
    said: Sequence[str], environment: GymnasiumEnvironment, planner: Planner
) -> tuple[str, ...]:
    """What the planner's card or the demonstrations call them, else what the environment does."""
    if isinstance(planner, CategoricalPlanner):
        return ()
    count = planner.normaliser.mean.shape[0]
    return environment_names(environment.plain(), count) if is_nameless(said) else tuple(said)


def _asks_home(env: EnvironmentLike) -> bool:
    """Whether it matters where a planner was trained: nothing was given, or a family whose
    environments are taken as the planner knows them."""
    if not isinstance(env, str):
        return False
    return not env or family_of(named_environment(env)).settings_are_flags


def default_start(source: Source, recorded: bool) -> int:
    """Real steps before imagining: n where a body is in its gait only after n steps, else none."""
    settled = family_of(source.environment).settled_after(source.environment)
    return settled if recorded or source.policy is not None else 0


def _environment(
    home: EnvironmentSettings | None,
    env: EnvironmentLike,
    arguments: Mapping[str, object],
    planner: Planner,
) -> EnvironmentSettings:
    """The environment that is given, if it fits the planner; without one, the planner's own."""
    if not isinstance(env, str):
        here = environment_of(env, arguments)
        _check_states(planner, here.gymnasium())
        return here
    named = named_environment(env) if env else home
    assert named is not None
    own = family_of(named)
    if own.settings_are_flags:
        if arguments:
            raise DepoError(
                f"a {own.names[0]} is taken as the planner knows it: leave --env-args out"
            )
        return home if home is not None and home.family == own.name else _around(env, planner)
    here = own.with_arguments(named, arguments)
    if env:
        _check_states(planner, here.gymnasium())
    return here


def _around(env: str, planner: Planner) -> EnvironmentSettings:
    """The environment of a name with as many states as the planner has."""
    if not isinstance(planner, CategoricalPlanner):
        raise DepoError(f"this planner plans vectors, {env} has finite states")
    own = family_of(named_environment(env))
    found = own.home(own.names[0], planner.states)
    if found is None:
        raise DepoError(f"{env} of {planner.states} states is not known: give a run")
    return found


def _finite_states(planner: Planner) -> int | None:
    return planner.states if isinstance(planner, CategoricalPlanner) else None


def _check_states(planner: Planner, environment: GymnasiumEnvironment) -> None:
    """Refuse an environment of other states than the planner's."""
    if isinstance(planner, CategoricalPlanner):
        if not environment.is_finite():
            raise DepoError(f"this planner plans finite states, {environment.id} is no grid world")
        if (states := environment.finite_sizes().states) != planner.states:
            raise DepoError(
                f"this planner plans {planner.states} finite states, {environment.id} has {states}"
            )
        return
    states, sees = environment.vector_sizes().states, planner.normaliser.mean.shape[0]
    if states != sees:
        raise DepoError(
            f"this planner sees {sees}-dimensional states, {environment.id} has {states}"
        )

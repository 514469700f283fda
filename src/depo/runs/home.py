"""Where a planner was trained: a run's environment, or what its folder's card says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from depo.environments.family import (
    EnvironmentSettings,
    families,
    family_of,
)
from depo.environments.given import EnvironmentLike, environment_of
from depo.models.card import read_origin
from depo.runs.run import CHECKPOINTS, SETTINGS, Run
from depo.zoo.entries import located

if TYPE_CHECKING:
    from depo.models.acting import Policy


def find_environment(
    env: EnvironmentLike = "",
    planner: str | Path = "",
    arguments: Mapping[str, Any] | None = None,
    dynamics: str = "",
    trust: bool = False,
    observe: str = "",
) -> EnvironmentSettings:
    """The environment of that name; without one, where a planner was trained, but under no dynamics
    other than these; else the grid world. ``trust`` is for a planner of somebody else's run.

    >>> find_environment("hopper", dynamics="inverted").label
    'hopper-v5-inverted'
    """
    if not isinstance(env, str) or env:
        return environment_of(env, arguments, dynamics, observe)
    home = home_of(planner, trust=trust) or EnvironmentSettings()
    here = family_of(home).with_arguments(home, arguments or {})
    if observe:
        here = family_of(here).observing(here, observe)
    return replace(here, dynamics=dynamics)


def home_of(
    planner: str | Path, states: int | None = None, trust: bool = False
) -> EnvironmentSettings | None:
    """Where a planner was trained: a run's environment; of a folder on its own, what a family
    makes of the label it names and of how many finite ``states`` it knows, if anything.

    The environment of somebody else's run that has a module imported is refused, unless trusted:
    who takes it over says of it later that it is the user's own.
    """
    if not str(planner):
        return None
    path = located(planner, "planner", "planner").absolute()
    seeds = sorted(path.glob("seed-*"))[:1]  # each a run of its own, or FOLDER/planner's
    for run in (path, *path.parents[1:2], *seeds):  # RUN, or RUN/planner/seed-0
        if (run / CHECKPOINTS).is_dir():
            opened = Run.open(run, trust=trust)
            opened.check_imports(opened.job.environment_wants)
            return opened.job.environment
    label = read_origin(path).environment if (path / SETTINGS).exists() else ""
    return home_named(label, states)


def home_named(label: str, states: int | None = None) -> EnvironmentSettings | None:
    """The environment that a label means, where some family knows it."""
    found = (family.home(label, states) for family in families().values())
    return next((home for home in found if home is not None), None)


def home_of_policy(policy: Policy) -> EnvironmentSettings | None:
    """Where a policy acts, if its label says all of it: not under which dynamics, nor in a grid
    world with walls or other actions, of which a planner needs to know nothing."""
    label = policy.origin.environment
    found = home_named(label, policy.observations.count)
    return found if found is not None and found.label == label else None

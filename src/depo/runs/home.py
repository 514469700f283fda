"""Where a planner was trained: a run's environment, or what its folder's card says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from depo.core.errors import readable
from depo.core.imports import allow, distrust, is_allowed, refuse
from depo.environments.family import (
    EnvironmentSettings,
    families,
    family_of,
)
from depo.environments.given import EnvironmentLike, environment_of
from depo.environments.names import is_given
from depo.models.card import HOME, Origin, read_origin
from depo.runs.checkpoints import CHECKPOINTS
from depo.runs.run import Run
from depo.runs.settings_file import SETTINGS
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
    if not (path / SETTINGS).exists():
        return home_named("", states)
    return home_of_origin(read_origin(path), states, trust=trust)


def written_home(environment: EnvironmentSettings) -> dict[str, Any]:
    """An environment as a model's card has it; empty: an object, which only its user can give."""
    if is_given(environment.id):
        return {}
    return HOME.marked(environment.to_json(), family_of(environment).wants(environment))


def home_of_origin(
    origin: Origin, states: int | None = None, *, trust: bool = False
) -> EnvironmentSettings | None:
    """The environment that a card describes, or in older folders what its label means.

    What somebody else's would have imported, or read, is refused unless trusted.
    """
    if not origin.home:
        return home_named(origin.environment, states)
    card = f"the model's card ({readable(origin.environment)})"
    found = EnvironmentSettings.from_json(HOME.migrated(dict(origin.home), card), card)
    wanted = family_of(found).wants(found)
    if trust:
        allow(wanted)
    elif wanted and not HOME.allow_own(dict(origin.home), wanted):
        distrust(wanted, card)
        if not all(map(is_allowed, wanted)):
            raise refuse(card, wanted)
    return found


def home_named(label: str, states: int | None = None) -> EnvironmentSettings | None:
    """The environment that a label means, where some family knows it."""
    found = (family.home(label, states) for family in families().values())
    return next((home for home in found if home is not None), None)


def home_of_policy(policy: Policy, *, trust: bool = False) -> EnvironmentSettings | None:
    """Where a policy acts, as its card describes it; in older folders if its label says all of it:
    not under which dynamics, nor in a grid world with walls or other actions, of which a planner
    needs to know nothing."""
    origin, states = policy.origin, policy.observations.count
    found = home_of_origin(origin, states, trust=trust)
    if found is None or origin.home or found.label == origin.environment:
        return found
    return None

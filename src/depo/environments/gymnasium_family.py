"""The family of any Gymnasium id; MuJoCo's tasks have short names and demonstrations here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from depo.core.codec import check_fields
from depo.core.imports import leading
from depo.data.shipped import load_demonstrations, shipped
from depo.environments.arguments import ArgumentFlags
from depo.environments.family import (
    GYMNASIUM,
    EnvironmentFamily,
    EnvironmentSettings,
    register_family,
)
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.mujoco import NAME_OF, TASKS, task_of
from depo.environments.observing import wanted_function

if TYPE_CHECKING:
    from depo.data.demonstrations import Demonstrations
    from depo.environments.jax_environment import JaxEnvironment

ENVIRONMENT_ID = re.compile(r"-v\d+$")
"""How the names of environments end, if they are not ``module:function``; dynamics are neither."""
IN_GAIT = 80
"""Steps after which a MuJoCo body moves as it then goes on to."""


@dataclass(frozen=True)
class GymnasiumSettings:
    """A Gymnasium id (``module:Id-v0`` imports a module first), and its constructor's arguments."""

    id: str = "CartPole-v1"
    arguments: tuple[tuple[str, Any], ...] = ()
    observe: str = ""
    """What of an observation is a state (:mod:`depo.environments.observing`)."""

    def __post_init__(self) -> None:
        check_fields(self, self.id if isinstance(self.id, str) else GYMNASIUM)


@dataclass(frozen=True)
class GymnasiumFlags(ArgumentFlags):
    """Flags of an environment whose observations may be of several parts, or pictures."""

    observe: str = ""
    """What of an observation is a state: keys of a Dict, comma-separated, or module:function, from
    an observation to a vector; empty: all of it, flattened."""


class GymnasiumFamily(EnvironmentFamily):
    """Whatever Gymnasium can make, with finite or vector spaces."""

    name = GYMNASIUM
    names = tuple(TASKS)
    settings = GymnasiumSettings

    def named(self, env: str, arguments: Mapping[str, Any]) -> EnvironmentSettings:
        """A Gymnasium id, or the short name of a MuJoCo task."""
        env, own = TASKS.get(env, (env, {}))
        given = tuple((own | dict(arguments)).items())
        return EnvironmentSettings(self.name, GymnasiumSettings(env, given))

    def with_arguments(
        self, environment: EnvironmentSettings, arguments: Mapping[str, Any]
    ) -> EnvironmentSettings:
        """The environment with other arguments beside its own."""
        given = dict(environment.settings.arguments) | dict(arguments)
        settings = replace(environment.settings, arguments=tuple(given.items()))
        return replace(environment, settings=settings)

    def observing(self, environment: EnvironmentSettings, observe: str) -> EnvironmentSettings:
        """The environment of which only this is seen."""
        return replace(environment, settings=replace(environment.settings, observe=observe))

    def flags(self, environment: EnvironmentSettings) -> GymnasiumFlags:
        """Arguments, dynamics, and what is observed."""
        return GymnasiumFlags(observe=environment.settings.observe)

    def with_flags(self, environment: EnvironmentSettings, flags: Any) -> EnvironmentSettings:
        """The environment with what the command line said."""
        return self.observing(super().with_flags(environment, flags), flags.observe)

    def short_name(self, environment: EnvironmentSettings) -> str:
        """The task's short name, else the id."""
        id_ = environment.settings.id
        return NAME_OF.get(id_, id_)

    def home(self, label: str, states: int | None = None) -> EnvironmentSettings | None:
        """The MuJoCo task that a label names."""
        del states
        task = task_of(label)
        return self.named(task, {}) if task else None

    def wants(self, environment: EnvironmentSettings) -> tuple[str, ...]:
        """Modules of the id and of what observes; arguments that may name a file or another
        environment."""
        own = environment.settings
        observe = wanted_function(own.observe)
        imported = (own.id,) if ":" in own.id else ()
        return (*imported, *observe, *leading(own.arguments))

    def open_gymnasium(self, environment: EnvironmentSettings) -> GymnasiumEnvironment:
        """The environment itself."""
        own = environment.settings
        return GymnasiumEnvironment(
            own.id, dict(own.arguments), dynamics=environment.dynamics, observe=own.observe
        )

    def open_jax(self, environment: EnvironmentSettings) -> JaxEnvironment | None:
        """The functions inside a :class:`~depo.environments.jax_gymnasium.JaxEnv`."""
        return self.open_gymnasium(environment).compiled()

    def demonstrations(self, environment: EnvironmentSettings) -> Demonstrations:
        """Those that ship for MuJoCo's tasks."""
        if (name := NAME_OF.get(environment.settings.id, "")) in shipped():
            return load_demonstrations(name)
        return super().demonstrations(environment)

    def shorter_states(self, environment: EnvironmentSettings) -> str:
        """Ant and Humanoid have a slim form."""
        slim = NAME_OF.get(environment.settings.id, "")
        return f"--env {slim} has the short ones" if slim in ("ant", "humanoid") else ""

    def settled_after(self, environment: EnvironmentSettings) -> int:
        """MuJoCo's bodies stand still at first."""
        return IN_GAIT if environment.settings.id in NAME_OF else 0

    def variant(self, environment: EnvironmentSettings, name: str) -> EnvironmentSettings:
        """Dynamics, 'as-is', or another environment that shares its states, by its id."""
        if not ENVIRONMENT_ID.search(name) and ":" not in name:
            return super().variant(environment, name)
        own = environment.settings
        arguments = own.arguments if name == own.id else ()
        settings = GymnasiumSettings(name, arguments, own.observe)
        return replace(environment, settings=settings)


register_family(GymnasiumFamily())

"""Environment families: the grid world, driving, Gymnasium, or a third party's; one object each.

A family says all that depo asks of its environments: their settings, how they are named and
opened, who demonstrates in them, whether their skill is a formula, which variants share their
states, and who scores a policy in them. It is registered once, beside its code::

    register_family(MyFamily())

or, from another package, as an entry point of the group ``depo.environments``. No JAX before
something is opened: families are part of the command line.
"""

from __future__ import annotations

import dataclasses
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from depo.core.codec import decode, decode_each, encode, said_of
from depo.core.errors import DepoError, unknown
from depo.core.imports import leading
from depo.core.plugins import is_defined_again, load_plugins
from depo.environments.arguments import ArgumentFlags, parse_arguments
from depo.environments.checking import family_problems
from depo.environments.dynamics import parse_dynamics
from depo.models.skill_source import register_formulas

if TYPE_CHECKING:
    from depo.data.demonstrations import Demonstrations
    from depo.environments.gymnasium_environment import GymnasiumEnvironment
    from depo.environments.jax_environment import JaxEnvironment
    from depo.environments.tabular import TabularEnvironment
    from depo.evaluation.evaluator import Evaluator, Scoring

GROUP = "depo.environments"
"""The entry-point group of other packages' families."""
GRID, GYMNASIUM = "grid", "gymnasium"
"""The family that is meant where nothing is said, and the one of every id nobody else knows."""
AS_IS = "as-is"
"""The variant that is the environment itself, beside others under changed dynamics."""
VERSIONED = re.compile(r"-v[0-9]+$")
"""How ids of environments end, and functions that make one do not."""


@dataclass(frozen=True)
class EnvironmentSettings:
    """An environment as a run's folder describes it: a family, its settings, changed dynamics.

    >>> EnvironmentSettings().label
    'gridworld-6x6-k1'
    """

    family: str = GRID
    settings: Any = None
    """What the family's own ``settings`` class holds; None: its defaults."""
    dynamics: str = ""
    """What actions do instead, as ``mixed,gravity=0.8``."""

    def __post_init__(self) -> None:
        own = family_of(self)
        if self.settings is None:
            object.__setattr__(self, "settings", own.settings())
        if not isinstance(self.settings, own.settings):
            raise DepoError(
                f"settings {self.settings!r} are none of the family '{self.family}': give a "
                f"{own.settings.__name__}"
            )
        changes = parse_dynamics(self.dynamics)
        if changes and own.instead_of_dynamics:
            raise DepoError(
                f"dynamics '{self.dynamics}' change bare vector actions: {own.instead_of_dynamics}"
            )
        object.__setattr__(self, "dynamics", ",".join(map(str, changes)))

    @property
    def id(self) -> str:
        """The Gymnasium id."""
        return self.gymnasium().id

    @property
    def label(self) -> str:
        """A short name for tables and folders."""
        return family_of(self).label(self)

    def gymnasium(self) -> GymnasiumEnvironment:
        """As a Gymnasium environment, not yet made."""
        return family_of(self).open_gymnasium(self)

    def variant(self, name: str) -> EnvironmentSettings:
        """A version that shares its states, by the name its family gives it."""
        return family_of(self).variant(self, name)

    def to_json(self) -> dict[str, Any]:
        """Plain data; unchanged dynamics go without saying."""
        data = {"family": self.family, "settings": encode(self.settings)}
        return data | ({"dynamics": self.dynamics} if self.dynamics else {})

    @classmethod
    def from_json(cls, data: object, where: str = "environment") -> EnvironmentSettings:
        """What :meth:`to_json` described.

        >>> EnvironmentSettings.from_json(EnvironmentSettings().to_json()) == EnvironmentSettings()
        True
        """
        kinds = {"family": str, "settings": dict[str, Any], "dynamics": str}
        stored = decode_each(kinds, data, where, required=("family", "settings"))
        with said_of(where):
            family = families().get(stored["family"])
            if family is None:
                raise unknown("environment family", stored["family"], families())
            settings = decode(family.settings, stored["settings"], family.name)
            return cls(family.name, settings, stored.get("dynamics", ""))


class EnvironmentFamily(ABC):
    """What depo asks of a family; what is not overridden is as for any Gymnasium environment."""

    name: ClassVar[str]
    """What run folders call it."""
    names: ClassVar[tuple[str, ...]]
    """What ``--env`` may say for it; the first is its short name."""
    settings: ClassVar[type[Any]]
    """A frozen dataclass whose defaults make an environment; no JAX where it is defined."""
    settings_are_flags: ClassVar[bool] = False
    """Whether every setting is a flag and keyword of its own, instead of one of ``--env-args``."""
    instead_of_dynamics: ClassVar[str] = ""
    """Where ``--dynamics`` means nothing: what to use in its place."""
    expert: ClassVar[str] = "demonstrations"
    """What the demonstrations are called that come with an environment."""
    needs_demonstrations: ClassVar[bool] = False
    """Whether scores compare with demonstrations, even if a method learns without."""
    plays_episodes: ClassVar[bool] = True
    """Whether one may choose how many episodes are played for a score."""
    formula_module: ClassVar[str] = ""
    """The module of its formulas: a policy's folder may name one of them and have it imported."""

    # names and settings

    def named(self, env: str, arguments: Mapping[str, Any]) -> EnvironmentSettings:
        """The environment that one of ``names`` and some arguments mean."""
        del env
        return self.with_arguments(EnvironmentSettings(self.name), arguments)

    def with_arguments(
        self, environment: EnvironmentSettings, arguments: Mapping[str, Any]
    ) -> EnvironmentSettings:
        """The environment with other values for some of its settings."""
        known = [field.name for field in dataclasses.fields(self.settings)]
        for name in arguments:
            if name not in known:
                raise unknown(f"setting of {self.names[0]}", name, known)
        return replace(environment, settings=replace(environment.settings, **arguments))

    def observing(self, environment: EnvironmentSettings, observe: str) -> EnvironmentSettings:
        """The environment of which only this is seen (:mod:`depo.environments.observing`)."""
        if observe:
            raise DepoError(
                f"observe has no effect here: {self.names[0]} shows states as depo takes them"
            )
        return environment

    def label(self, environment: EnvironmentSettings) -> str:
        """A short name for tables and folders."""
        module, _, id_ = self.open_gymnasium(environment).id.rpartition(":")
        name = id_.rpartition("/")[2].lower()
        if module and not VERSIONED.search(name):  # many modules have a function 'make'
            name = f"{module.rpartition('.')[2]}-{name}".lower()
        return "-".join([name, *map(str, parse_dynamics(environment.dynamics))])

    def short_name(self, environment: EnvironmentSettings) -> str:
        """What the command line calls it."""
        del environment
        return self.names[0]

    def flags(self, environment: EnvironmentSettings) -> Any:
        """The flags of the command line that are the environment's own, with their defaults."""
        return environment.settings if self.settings_are_flags else ArgumentFlags()

    def with_flags(self, environment: EnvironmentSettings, flags: Any) -> EnvironmentSettings:
        """The environment with what the command line said."""
        if self.settings_are_flags:
            return replace(environment, settings=flags)
        given = self.with_arguments(environment, parse_arguments(flags.env_args))
        return replace(given, dynamics=flags.dynamics)

    def files(self, environment: EnvironmentSettings) -> tuple[str, ...]:
        """Files, or names of shipped ones, that it cannot be opened without."""
        del environment
        return ()

    def home(self, label: str, states: int | None = None) -> EnvironmentSettings | None:
        """Where a planner was trained whose folder says this label; ``states``: how many finite
        states it knows. None: the label says too little, or is another family's."""
        del label, states
        return None

    def wants(self, environment: EnvironmentSettings) -> tuple[str, ...]:
        """What a stranger's settings may not have without the user's leave: names ``module:Id``
        whose module is imported, and settings ``name=value`` that may name a file."""
        id_ = self.open_gymnasium(environment).id
        imported = (id_,) if ":" in id_ else ()
        return (*imported, *leading(encode(environment.settings).items()))

    # opening

    @abstractmethod
    def open_gymnasium(self, environment: EnvironmentSettings) -> GymnasiumEnvironment:
        """As a Gymnasium environment, not yet made; every environment has this form."""

    def open_table(self, environment: EnvironmentSettings) -> TabularEnvironment | None:
        """As a table that is stepped inside the compiler; None: it has no such form."""
        del environment
        return None

    def open_jax(self, environment: EnvironmentSettings) -> JaxEnvironment | None:
        """As functions that are stepped inside the compiler; None: it has no such form."""
        del environment
        return None

    def is_finite(self, environment: EnvironmentSettings) -> bool:
        """Whether states are finitely many rather than vectors."""
        return self.open_gymnasium(environment).is_finite()

    # who demonstrates, and what is known of its skill

    def demonstrations(self, environment: EnvironmentSettings) -> Demonstrations:
        """The demonstrations that come with it."""
        raise DepoError(f"no demonstrations for {environment.id}: pass --demos FILE")

    def shorter_states(self, environment: EnvironmentSettings) -> str:
        """Where demonstrations are shorter than its states: how to name the form that has such."""
        del environment
        return ""

    def formula(self, environment: EnvironmentSettings) -> str:
        """The skill as a formula, ``module:function``; empty: none is known."""
        del environment
        return ""

    def controllers(self, environment: EnvironmentSettings) -> str:
        """Controllers made by hand that execute a decision, ``module:function``; empty: none."""
        del environment
        return ""

    def time_step(self, environment: EnvironmentSettings) -> float | None:
        """Seconds of a step, for a formula that depends on them; None: it has its own."""
        del environment
        return None

    def settled_after(self, environment: EnvironmentSettings) -> int:
        """Steps after which what a policy does in it is typical; 0: from the start."""
        del environment
        return 0

    # variants and scores

    def variant(self, environment: EnvironmentSettings, name: str) -> EnvironmentSettings:
        """A version that shares its states: dynamics on top of its own, or 'as-is'."""
        own = "" if name == AS_IS else name
        return replace(environment, dynamics=",".join(filter(None, [environment.dynamics, own])))

    def evaluator(self, environment: EnvironmentSettings, scoring: Scoring) -> Evaluator:
        """Who scores policies while they are trained: by episodes, unless something is known."""
        played = replace(self.open_gymnasium(environment), remember=scoring.remember)
        if self.is_finite(environment):
            from depo.evaluation.rollouts import FiniteRollouts

            return FiniteRollouts(played, scoring.seeds, scoring.episodes)
        from depo.evaluation.vector_rollouts import VectorRollouts

        return VectorRollouts(played, scoring)

    def report(self, environment: EnvironmentSettings, scoring: Scoring) -> Evaluator:
        """Who scores policies that are finished: all that can be said."""
        return self.evaluator(environment, scoring)

    def random_scores(self, environment: EnvironmentSettings, episodes: int) -> dict[str, float]:
        """What acting at random scores, by metric; empty: nothing that compares with a run's."""
        from depo.evaluation import random_policy

        played = self.open_gymnasium(environment)
        if not self.is_finite(environment):
            return random_policy.random_scores_on_vectors(played, episodes)
        actions = played.finite_sizes().actions
        return random_policy.random_scores_on_finite_states(played, actions, episodes)

    def expert_scores(
        self, environment: EnvironmentSettings, demos: Demonstrations
    ) -> dict[str, float]:
        """What the demonstrations score, by metric, as far as they say."""
        del environment
        known = demos.episode_returns
        return {} if known is None else {"return": float(known.mean())}


_families: dict[str, EnvironmentFamily] = {}
_loaded: list[str] = []


def register_family(family: EnvironmentFamily) -> EnvironmentFamily:
    """Make a family known; its names must be nobody else's. In a notebook the same cell may do so
    again."""
    if not isinstance(family, EnvironmentFamily):
        raise DepoError(f"{family!r} is no EnvironmentFamily: derive from it")
    if problem := next(family_problems(family), ""):
        raise DepoError(f"environment family {type(family).__name__}: {problem}")
    for other in _families.values():
        if is_defined_again(type(other), type(family)):
            continue
        if other.name == family.name:
            raise DepoError(f"there is an environment family '{family.name}' already: rename yours")
        if taken := set(other.names) & set(family.names):
            raise DepoError(
                f"--env {min(taken)} means the environment family '{other.name}' already: give "
                f"'{family.name}' another name for it"
            )
    _families[family.name] = family
    return family


def _register_found(found: Any) -> None:
    """An entry point names a family, or its class."""
    register_family(found() if isinstance(found, type) else found)


def families() -> dict[str, EnvironmentFamily]:
    """All families by name, those of other packages among them."""
    if not _loaded:
        _loaded.append(GROUP)
        load_plugins(GROUP, _register_found)
    return _families


def _formula_modules() -> set[str]:
    """Where the families' formulas are."""
    return {family.formula_module for family in families().values()} - {""}


register_formulas(_formula_modules)


def family_of(environment: EnvironmentSettings) -> EnvironmentFamily:
    """The family of an environment."""
    if environment.family not in families():
        raise unknown("environment family", environment.family, families())
    return families()[environment.family]

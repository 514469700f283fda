"""Which methods there are. No JAX here: the command line must start at once.

A method is a :class:`MethodSpec`. Those of this package are the ``METHODS`` of the folders beside
this file. Others come from installed packages by the entry-point group ``depo.methods`` (an entry
is a spec, or a sequence of them), or by :func:`register`.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from depo.core.errors import LONGEST, DepoError, unknown
from depo.core.plugins import is_defined_again, load_plugins
from depo.methods.checking import spec_problems
from depo.methods.settings_tree import MethodSettings

LearnerName = Literal["on-policy", "off-policy"]
ON_POLICY: LearnerName = "on-policy"
"""For finite states."""
OFF_POLICY: LearnerName = "off-policy"
"""For vectors."""
TRANSFER = "transfer"
"""The method of ``depo transfer``."""
GROUP = "depo.methods"

Values = Mapping[str, Any]
"""Settings by their flat names."""
Part = Literal["planner", "skill", "reward"]


@dataclass(frozen=True)
class Implementation:
    """A method for one learner."""

    settings: type[MethodSettings]
    build: Callable[..., Any]
    """``build(settings)`` for the on-policy learner, ``build(settings, pace)`` for the off-policy
    one: the method itself (:mod:`depo.methods.on_policy.method`,
    :mod:`depo.methods.off_policy.method`). Imports JAX no earlier than when it is called."""
    default_steps: int = 12_800
    """Environment steps of a run that names none."""
    presets: Mapping[str, Values] = field(default_factory=lambda: {"fast": {}, "paper": {}})
    """Preset: the settings that differ from the defaults."""
    tasks: Mapping[str, Mapping[str, Values]] = field(default_factory=dict)
    """Preset, Gymnasium id: what differs again, and is this method's own."""
    task_free: tuple[str, ...] = ()
    """Presets that have rules in place of the tables of tasks which methods share."""
    dynamics: Mapping[str, Mapping[str, Values]] = field(default_factory=dict)
    """Preset, dynamics variant: and again."""


@dataclass(frozen=True)
class MethodSpec:
    """A method: all that the rest of the package knows of it."""

    name: str
    summary: str
    """One line for ``depo train --help``."""
    implementations: Mapping[LearnerName, Implementation]
    colour: str = "#555555"
    """Of its curves."""
    needs_demonstrations: bool = True
    """Whether it cannot learn without (a transfer can, unless its planner is fine-tuned)."""
    needs_actions: bool = False
    """Whether it imitates recorded actions, so that demonstrations must have some."""
    takes_reward: bool = False
    """Whether it learns from a reward that another run left, which a job then names."""
    uses_reward: bool = False
    """Whether it learns from the environment's own reward."""
    has_skill: bool = False
    """Whether it has a skill of its own, whose place a folder or a formula can take."""
    needs_controllers: bool = False
    """Whether its skill is made by hand: the family's controllers, or a formula that is given."""
    shares_planner: bool = False
    """Whether variants of an environment can train one planner together."""
    adds_losses: bool = False
    """Whether that planner can follow the sum of the variants' losses (schedule 'joint')."""
    takes_planner: bool = False
    """Whether it begins with a planner that is given: ``depo transfer``, not ``depo train``."""
    exports: tuple[Part, ...] = ()
    """What a finished run holds as folders, beside the policy."""

    def implementation(self, learner: LearnerName) -> Implementation:
        """The method for a learner; refused where there is none."""
        if learner not in self.implementations:
            known = ", ".join(s.name for s in methods().values() if learner in s.implementations)
            raise DepoError(
                f"method '{self.name}' is for the {', '.join(self.implementations)} learner, this "
                f"environment needs {learner}: {known}"
            )
        return self.implementations[learner]


_methods: dict[str, MethodSpec] = {}
_loaded: list[str] = []


def register(spec: MethodSpec) -> MethodSpec:
    """Add a method; returns it. In a notebook the same cell may do so again."""
    _all()
    return _add_checked(spec)


def methods() -> dict[str, MethodSpec]:
    """Every method by name: imitation by a decoupled policy first, then by others, then those that
    are rewarded."""
    order = sorted(
        _all().values(), key=lambda s: (s.uses_reward, "planner" not in s.exports, s.name)
    )
    return {spec.name: spec for spec in order}


def trainable() -> dict[str, MethodSpec]:
    """The methods that ``depo train`` offers."""
    return {name: spec for name, spec in methods().items() if not spec.takes_planner}


def find_method(name: str) -> MethodSpec:
    """The method of that name.

    >>> find_method("depo").needs_demonstrations
    True
    """
    found = _all().get(name)
    if found is None:
        near = difflib.get_close_matches(name[:LONGEST], methods(), n=1)  # 'transfer', too
        raise unknown("method", name, {*trainable(), *near})
    return found


def check_shares_planner(name: str) -> None:
    """Refuse a method that variants of an environment cannot train together."""
    if not find_method(name).shares_planner:
        shared = ", ".join(spec.name for spec in methods().values() if spec.shares_planner)
        raise DepoError(f"method '{name}' has no planner that variants can share: take {shared}")


def implementation_of(settings: MethodSettings) -> Implementation:
    """The method and learner that settings belong to."""
    for spec in _all().values():
        for implementation in spec.implementations.values():
            if implementation.settings is type(settings):
                return implementation
    raise DepoError(f"no method has the settings {type(settings).__name__}: register it first")


def deferred(target: str) -> Callable[..., Any]:
    """A callable by its name ``module:attribute``, imported when it is called."""
    module, _, attribute = target.partition(":")

    def call(*arguments: Any, **named: Any) -> Any:
        return getattr(importlib.import_module(module), attribute)(*arguments, **named)

    return call


def _all() -> dict[str, MethodSpec]:
    if not _loaded:
        _loaded.append(GROUP)  # at once: a package that is being loaded may ask, or register
        package = importlib.import_module(__package__)
        for module in pkgutil.iter_modules(package.__path__, f"{__package__}."):
            if module.ispkg:
                for spec in getattr(importlib.import_module(module.name), "METHODS", ()):
                    _add(spec)
        load_plugins(GROUP, _add_all)
    return _methods


def _add_all(plugin: Any) -> None:
    """A spec of another package, or several; of which those that are right are there."""
    trouble = []
    for spec in tuple(plugin) if isinstance(plugin, Iterable) else (plugin,):
        try:
            _add_checked(spec)
        except DepoError as error:
            trouble.append(str(error))
    if trouble:
        raise DepoError("; ".join(trouble))


def _add_checked(spec: Any) -> MethodSpec:
    if not isinstance(spec, MethodSpec):
        raise DepoError(f"{spec!r} is no MethodSpec")
    try:
        problem = next(spec_problems(spec), "")
    except Exception as error:  # a field of any type
        problem = f"{type(error).__name__}: {error}"
    if problem:
        raise DepoError(f"method {spec.name!r}: {problem}")
    return _add(spec)


def _add(spec: MethodSpec) -> MethodSpec:
    before = _methods.setdefault(spec.name, spec)
    if before is not spec:
        if not _is_again(before, spec):
            raise DepoError(f"there is a method '{spec.name}' already: give yours another name")
        _methods[spec.name] = spec
    return spec


def _is_again(before: MethodSpec, now: MethodSpec) -> bool:
    old, new = before.implementations, now.implementations
    return old.keys() == new.keys() and all(
        is_defined_again(old[learner].settings, new[learner].settings) for learner in new
    )

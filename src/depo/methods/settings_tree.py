"""Settings as a tree of parts whose leaves have flat names. No JAX here.

A method's settings are a frozen dataclass made of parts (:class:`Part`), which are frozen
dataclasses too. Every leaf has one flat name, unique in the tree: ``settings.skill.rate`` is
``skill_rate`` in presets, flags, keyword arguments and run folders. A part that may be absent
(``fine_tuning: FineTuning | None``) is switched on by giving its first leaf a value.
"""

from __future__ import annotations

import dataclasses
import numbers
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from depo.core.codec import decode_each, encode
from depo.core.errors import DepoError, unknown
from depo.methods.setting_docs import documentation, once

Heading = Literal[
    "what",
    "how long",
    "data",
    "policy",
    "planner",
    "skill",
    "critic",
    "discriminator",
    "exploration",
    "saving",
]
"""What ``--help`` groups settings under."""


@dataclass(frozen=True)
class Facts:
    """What, beside the settings, decides whether a setting matters."""

    formula: str = ""
    """The name of the formula that is the skill; empty: the skill is learned."""
    steps: int = 1
    """Environment steps of the run."""
    is_exact: bool = True
    """Whether policies are scored by exact occupancy measures."""
    has_demonstrations: bool = True
    """Whether there are demonstrations."""


class Rule(NamedTuple):
    """When settings have no effect, and why."""

    names: tuple[str, ...]
    is_idle: Callable[[Any, Facts], bool]
    """Of the part (or the whole settings) that the rule belongs to, and the job."""
    reason: str


class Part:
    """A group of settings that checks itself when it is made."""

    heading: ClassVar[Heading] = "what"
    """Where ``--help`` shows its leaves, unless a leaf says otherwise."""
    rules: ClassVar[tuple[Rule, ...]] = ()
    """When which of its settings have no effect."""

    def __post_init__(self) -> None:
        for leaf in _fields(type(self)):
            if leaf.part is None:
                _check(leaf, getattr(self, leaf.attribute))
        for sentence in self.problems():
            raise DepoError(sentence)

    def problems(self) -> Iterator[str]:
        """What is wrong with values that are each right, a sentence each."""
        yield from ()


class MethodSettings(Part):
    """The settings of a method for one learner: parts, and leaves of its own."""

    absent: ClassVar[Mapping[str, str]] = types.MappingProxyType({})
    """Settings that others have and this method cannot use, with the reason. Run folders written
    before they were left out still hold them."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...  # parts: every method has its own


def named(
    default: Any,
    name: str,
    *,
    heading: Heading | None = None,
    signed: bool = False,
    derived: bool = False,
) -> Any:
    """A leaf with a flat name of its own, under another heading, that may be negative, or a whole
    number whose 0 stands for a rule."""
    about = {"name": name, "heading": heading, "signed": signed, "derived": derived}
    return dataclasses.field(default=default, metadata=about)


@dataclass(frozen=True)
class Setting:
    """One leaf."""

    name: str
    """Its flat name, as in flags and run folders."""
    path: tuple[str, ...]
    """The attributes that lead to it."""
    type: Any
    default: Any
    """The method's default, before presets."""
    heading: Heading
    owner: type[Part]
    """The part that it is a field of."""

    @property
    def doc(self) -> str:
        """The sentences below the field."""
        return documentation(self.owner).get(self.path[-1], "")


Settings = TypeVar("Settings", bound=MethodSettings)


def leaves(target: type[MethodSettings] | MethodSettings) -> tuple[Setting, ...]:
    """Every setting there is, of a class as it is by default or of an object; of a part that is
    absent only the leaf that switches it on."""
    settings = target() if isinstance(target, type) else target
    return tuple(_walk(settings, type(settings)(), ()))


def every_name(kind: type[Part]) -> frozenset[str]:
    """The flat names of all leaves, those of absent parts too."""
    return _names(kind)


def flat_values(settings: MethodSettings) -> dict[str, Any]:
    """Every setting's value by its flat name."""
    return {leaf.name: _value_at(settings, leaf.path) for leaf in leaves(settings)}


def with_values(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """The settings with other values, by flat names; a name that is none is refused.

    >>> from depo.methods.sac import OffPolicySAC
    >>> with_values(OffPolicySAC(), {"critic_rate": 1e-3}).critic.rate
    0.001
    """
    changed = _replaced(settings, values)
    known = {leaf.name for leaf in leaves(changed)}
    for name in values:
        if name not in known:
            raise no_setting(type(settings), name, known)
    return changed


def settings_from(kind: type[Settings], values: Mapping[str, Any]) -> Settings:
    """Settings from flat values as presets and run folders hold them: those of absent parts, and
    those that the method once had, go without effect."""
    possible = every_name(kind)
    for name in values:
        if name not in possible and name not in kind.absent:
            raise unknown("setting", name, possible)
    return _replaced(kind(), values)


def no_setting(kind: type[MethodSettings], name: str, known: set[str]) -> DepoError:
    """The error for a name that is no setting here, with the reason where there is one."""
    if name in kind.absent:
        return DepoError(f"{name} has no effect here: {kind.absent[name]}")
    for switch, names in _optional_names(kind).items():
        if name in names:
            return DepoError(
                f"{name} has no effect here: it belongs to {switch}, which is not set: leave it "
                f"out, or set {switch} too"
            )
    return unknown("setting", name, known)


class _Field(NamedTuple):
    attribute: str
    name: str
    type: Any
    heading: Heading
    signed: bool
    derived: bool
    part: type[Part] | None
    is_optional: bool


@once
def _fields(kind: Any) -> tuple[_Field, ...]:
    hints = get_type_hints(kind)
    found = []
    for field in dataclasses.fields(kind):
        hint, optional = _without_none(hints[field.name])
        is_part = isinstance(hint, type) and issubclass(hint, Part)
        found.append(
            _Field(
                field.name,
                field.metadata.get("name") or field.name,
                hint if is_part else hints[field.name],
                field.metadata.get("heading") or kind.heading,
                field.metadata.get("signed", False),
                field.metadata.get("derived", False),
                hint if is_part else None,
                optional,
            )
        )
    return tuple(found)


def _without_none(hint: Any) -> tuple[Any, bool]:
    if get_origin(hint) in (Union, types.UnionType):
        others = [kind for kind in get_args(hint) if kind is not type(None)]
        if len(others) == 1:
            return others[0], True
    return hint, False


def _switch(kind: type[Part]) -> _Field:
    """The leaf that an optional part is switched on by: its first."""
    return _fields(kind)[0]


@once
def _names(kind: type) -> frozenset[str]:
    found: set[str] = set()
    for field in _fields(kind):
        found |= {field.name} if field.part is None else _names(field.part)
    return frozenset(found)


def _optional_names(kind: type[Part]) -> dict[str, frozenset[str]]:
    """Switch: the names of the part that it switches on."""
    parts = [f.part for f in _fields(kind) if f.part is not None and f.is_optional]
    return {_switch(part).name: _names(part) for part in parts}


def _walk(part: Part, default: Part, path: tuple[str, ...]) -> Iterator[Setting]:
    for field in _fields(type(part)):
        value, before = getattr(part, field.attribute), getattr(default, field.attribute)
        where = (*path, field.attribute)
        if field.part is None:
            owner = type(part)
            yield Setting(field.name, where, field.type, before, field.heading, owner)
            continue
        if field.is_optional:
            first = _switch(field.part)
            at = (*where, first.attribute)
            kind = first.type | None
            yield Setting(first.name, at, kind, None, first.heading, field.part)
        if value is not None:
            own = before if before is not None else _switched_on(field.part, value)
            for leaf in _walk(value, own, where):
                if not field.is_optional or leaf.name != first.name:
                    yield leaf


def _switched_on(kind: type[Part], value: Part) -> Part:
    """An optional part with its defaults."""
    attribute = _switch(kind).attribute
    return kind(**{attribute: getattr(value, attribute)})


def _value_at(settings: Any, path: tuple[str, ...]) -> Any:
    for attribute in path:
        settings = getattr(settings, attribute)
        if settings is None:
            return None
    return settings


def _replaced(part: Any, values: Mapping[str, Any]) -> Any:
    changes: dict[str, Any] = {}
    for field in _fields(type(part)):
        if field.part is None:
            if field.name in values:
                _check(field, values[field.name])  # before a type checker sees the part
                changes[field.attribute] = values[field.name]
            continue
        own = getattr(part, field.attribute)
        if field.is_optional:
            switch = _switch(field.part)
            asked = values.get(switch.name, own and getattr(own, switch.attribute))
            if asked is None:
                own = None
            elif own is None:
                _check(switch, asked)
                own = field.part(**{switch.attribute: asked})
        if own is not None:
            own = _replaced(own, values)
        if own is not getattr(part, field.attribute):
            changes[field.attribute] = own
    return dataclasses.replace(part, **changes) if changes else part


def _check(leaf: _Field, value: Any) -> None:
    """A value of the right type; whole numbers count something, the others are rates, weights and
    shares."""
    if dataclasses.is_dataclass(value):
        raise DepoError(
            f"{leaf.name} is a {type(value).__name__}, which is no group of settings: derive that "
            f"class from {Part.__module__}.{Part.__name__}"
        )
    decode_each({leaf.name: leaf.type}, {leaf.name: encode(value)}, "settings")
    if value is None or isinstance(value, bool | str):
        return
    if not isinstance(value, numbers.Real):
        raise DepoError(f"{leaf.name} {value!r} is no number, text, truth value or None")
    if leaf.type is int and value < 1 and not (leaf.derived and value == 0):
        raise DepoError(f"{leaf.name} {value} is not positive")
    if value < 0 and not leaf.signed:
        raise DepoError(f"{leaf.name} {value} is not a finite number of at least 0")

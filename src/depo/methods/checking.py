"""What can be wrong with a method from elsewhere, said when it is registered. No JAX here.

Everything that the rest of the package takes for granted of a spec is looked at once, so that a
mistake is its author's to read and no other method's to trip over.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args, get_type_hints

from depo.core.errors import DepoError
from depo.methods.off_policy import settings as off_policy
from depo.methods.on_policy import settings as on_policy
from depo.methods.settings_tree import MethodSettings, leaves, settings_from

NAME, COLOUR = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*"), re.compile(r"#[0-9a-fA-F]{6}")
SETTING = re.compile(r"[a-z][a-z0-9_]*")
DEFAULT_PRESET = "fast"
RESERVED = frozenset(
    [
        *("config", "demos", "dry_run", "dynamics", "engine", "env", "env_args", "json", "observe"),
        *("out", "patience", "planner", "preset", "reward_from", "schedule", "seed", "seeds"),
        *("skill", "steps", "strict", "track", "trust", "variants", "workers"),
    ]
)
"""Flags of every training command: no setting can be called so."""
LEARNERS: Mapping[str, tuple[Any, Any]] = {
    "on-policy": (on_policy, on_policy.OnPolicySettings),
    "off-policy": (off_policy, off_policy.OffPolicySettings),
}
"""Learner: the module of its parts, and which of them every method must have."""


def spec_problems(spec: Any) -> Iterator[str]:
    """What is wrong with a spec, a sentence each; nothing: it can be registered.

    >>> from depo.methods.registry import MethodSpec, find_method
    >>> list(spec_problems(find_method("depo")))
    []
    >>> next(spec_problems(MethodSpec("My method", "Mine.", {})))
    "name 'My method' is not made of small letters, digits and hyphens, as 'my-method' is"
    """
    if not isinstance(spec.name, str) or not NAME.fullmatch(spec.name):
        yield (
            f"name {spec.name!r} is not made of small letters, digits and hyphens, as 'my-method' "
            "is"
        )
    if not isinstance(spec.summary, str) or not spec.summary.strip():
        yield f"summary {spec.summary!r} is no sentence: 'depo train --help' shows it"
    if not isinstance(spec.colour, str) or not COLOUR.fullmatch(spec.colour):
        yield f"colour {spec.colour!r} is none, as '#b8860b' is"
    for field in dataclasses.fields(spec):
        value = getattr(spec, field.name)
        if isinstance(field.default, bool) and not isinstance(value, bool):
            yield f"{field.name} {value!r} is neither True nor False"
    yield from _export_problems(spec.exports)
    if not isinstance(spec.implementations, Mapping):
        yield f"implementations {spec.implementations!r} is no table by learner"
        return
    if not spec.implementations:
        yield f"implementations is empty: give one for {' or '.join(LEARNERS)}"
    for learner, own in spec.implementations.items():
        if learner not in LEARNERS:
            yield f"implementations: there is no learner {learner!r} (known: {', '.join(LEARNERS)})"
        else:
            yield from (f"{learner}: {x}" for x in _implementation_problems(learner, own, spec))


def _export_problems(exports: Any) -> Iterator[str]:
    from depo.methods.registry import Part

    known = get_args(Part)
    if isinstance(exports, str) or not set(exports) <= set(known):
        yield f"exports {exports!r} is no tuple of {', '.join(known)}"


def _implementation_problems(learner: str, own: Any, spec: Any) -> Iterator[str]:
    from depo.methods.registry import Implementation

    if not isinstance(own, Implementation):
        yield f"{own!r} is no Implementation"
        return
    build: Any = own.build
    if not callable(build):
        yield f"build {build!r} cannot be called: give a class, or deferred('module:Class')"
    if type(own.default_steps) is not int or own.default_steps < 1:
        yield f"default_steps {own.default_steps!r} is not a positive whole number"
    if found := list(_settings_problems(learner, own.settings)):
        yield from found
        return
    shows = spec.needs_demonstrations and not spec.takes_planner
    if learner == "off-policy" and shows and not hasattr(own.settings(), "demos"):
        yield (
            f"settings {own.settings.__name__}: the method needs demonstrations, so that they need "
            f"the part 'demos': write demos: Demos = Demos(), of {off_policy.__name__}"
        )
    yield from _preset_problems(own)


def _settings_problems(learner: str, kind: Any) -> Iterator[str]:
    if not (isinstance(kind, type) and issubclass(kind, MethodSettings)):
        yield f"settings {kind!r} is no class derived from MethodSettings"
        return
    undeclared = inspect.get_annotations(kind) and "__dataclass_fields__" not in vars(kind)
    if undeclared or not hasattr(kind, "__dataclass_fields__"):
        yield f"settings {kind.__name__} is no dataclass: write @dataclass(frozen=True) above it"
        return
    try:
        names = [leaf.name for leaf in leaves(kind())]
    except DepoError as error:
        yield f"settings {kind.__name__}: {error}"
        return
    except Exception as error:  # anybody's code, and annotations of any kind
        yield f"settings {kind.__name__} cannot be made: {type(error).__name__}: {error}"
        return
    for name in names:
        if not SETTING.fullmatch(name):
            yield f"settings {kind.__name__}: the name {name!r} is no flag, as 'my_rate' is"
        if name in RESERVED:
            yield f"settings {kind.__name__}: '{name}' is a flag of every training: rename it"
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"settings {kind.__name__}: two of them are called '{name}', use named(…) for one"
    yield from _part_problems(learner, kind)


def _part_problems(learner: str, kind: Any) -> Iterator[str]:
    """The parts that a learner reads, each of the class that it knows or one derived from it."""
    module, protocol = LEARNERS[learner]
    for part in ("collection", "exploration", "learning", "saving"):
        wanted = get_type_hints(getattr(protocol, part).fget)["return"]
        if not isinstance(getattr(kind(), part, None), wanted):
            yield (
                f"settings {kind.__name__}: the learner reads the part '{part}': write "
                f"{part}: {wanted.__name__} = {wanted.__name__}(), of {module.__name__}"
            )


def _preset_problems(own: Any) -> Iterator[str]:
    if DEFAULT_PRESET not in own.presets:
        yield f"presets {[*own.presets]}: there is no '{DEFAULT_PRESET}', which holds unasked"
    tables: list[tuple[str, Mapping[str, Any]]] = [("", own.presets)]
    for what, nested in (("tasks", own.tasks), ("dynamics", own.dynamics)):
        for preset in nested:
            if preset not in own.presets:
                yield f"{what}: there is no preset '{preset}' (known: {', '.join(own.presets)})"
        tables += [(f"{what}: {preset}, ", table) for preset, table in nested.items()]
    for preset in own.task_free:
        if preset not in own.presets:
            yield f"task_free: there is no preset '{preset}' (known: {', '.join(own.presets)})"
    for where, table in tables:
        for name, values in table.items():
            if trouble := _trouble(own.settings, values):
                yield f"{where or 'preset '}'{name}': {trouble}"
            elif not where and (random := _random_steps(own.settings, values)) > own.default_steps:
                yield (
                    f"default_steps {own.default_steps:,} end before the {random:,} random ones "
                    f"that preset '{name}' begins with: raise them, or lower random_steps"
                )


def _random_steps(kind: type[MethodSettings], values: Mapping[str, Any]) -> int:
    """Steps before anything is learned; on finite states none."""
    return getattr(settings_from(kind, values).exploration, "random_steps", 0)


def _trouble(kind: type[MethodSettings], values: Any) -> str:
    try:
        settings_from(kind, values)
    except DepoError as error:
        return str(error)
    except (TypeError, AttributeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return ""

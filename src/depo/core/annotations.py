"""What an annotation expects: in words for people, and of the values inside a value."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

_CALLED: dict[Any, str] = {
    float: "a finite number",
    int: "a whole number",
    bool: "true or false",
    str: "a text",
    type(None): "nothing",
}
_LIMITS = {"ge": "of at least", "gt": "above", "le": "at most", "lt": "below"}
TABLE = "a table of names and values"


def annotations_of(kind: Any) -> Mapping[str, Any]:
    """What is expected of every field of a dataclass."""
    return _annotations_of(kind)


@cache
def _annotations_of(kind: Any) -> Mapping[str, Any]:
    return MappingProxyType(get_type_hints(kind, include_extras=True))


def expected(hint: Any) -> str:
    """What is expected, in words.

    >>> expected(tuple[float, float]), expected(int | None), expected(Literal["a", "b"])
    ('a list of 2, each a finite number', 'a whole number or nothing', "'a' or 'b'")
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return expected(arguments[0]) + "".join(map(_limited, arguments[1:]))
    if origin in (Union, types.UnionType):
        return " or ".join(map(expected, arguments))
    if origin is Literal:
        return " or ".join(map(repr, arguments))
    if origin in (tuple, list):
        many = "" if origin is list or arguments[-1] is Ellipsis else f" of {len(arguments)}"
        return f"a list{many}, each {expected(arguments[0])}"
    if dataclasses.is_dataclass(hint) or _is_mapping(hint):
        return TABLE
    return _CALLED.get(hint, "what is expected")


def below(hint: Any, data: Any, key: Any) -> Any:
    """What is expected of ``data[key]`` where ``hint`` is expected of ``data``; None: anything.

    >>> below(dict[str, float] | None, {"a": 1.0}, "a")
    <class 'float'>
    """
    for option in options(hint):
        arguments = get_args(option)
        if isinstance(data, Mapping):
            if dataclasses.is_dataclass(option):
                return annotations_of(option).get(key)
            if _is_mapping(option) and arguments:
                return arguments[1]
        elif get_origin(option) in (tuple, list) and arguments:
            alike = get_origin(option) is list or arguments[-1] is Ellipsis
            return arguments[0 if alike else min(key, len(arguments) - 1)]
    return None


def options(hint: Any) -> tuple[Any, ...]:
    """The members of a union, or the annotation itself, without its limits."""
    if get_origin(hint) is Annotated:
        return options(get_args(hint)[0])
    if get_origin(hint) in (Union, types.UnionType):
        return tuple(inner for option in get_args(hint) for inner in options(option))
    return (hint,)


def words(hint: Any) -> tuple[str, ...]:
    """The words a value may be, if it is to be one of some.

    >>> words(Literal["m", "ft"] | None)
    ('m', 'ft')
    """
    literals = [option for option in options(hint) if get_origin(option) is Literal]
    return tuple(str(word) for option in literals for word in get_args(option))


def dataclasses_in(hint: Any) -> tuple[Any, ...]:
    """The dataclasses that a value may be."""
    return tuple(option for option in options(hint) if dataclasses.is_dataclass(option))


def holds_dataclass(hint: Any) -> bool:
    """Whether a value may be, or have in it, an object of a dataclass."""
    return any(
        dataclasses.is_dataclass(option) or any(map(holds_dataclass, get_args(option)))
        for option in options(hint)
        if get_origin(option) is not Literal
    )


def _is_mapping(hint: Any) -> bool:
    origin = get_origin(hint) or hint
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _limited(limits: Any) -> str:
    bounds = {said: getattr(limits, name, None) for name, said in _LIMITS.items()}
    return " and".join(f" {said} {n:,}" for said, n in bounds.items() if n is not None)

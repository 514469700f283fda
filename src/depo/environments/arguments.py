"""Arguments of an environment's constructor that lead elsewhere: to a file, or to code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from depo.core.imports import is_allowed, refuse_strangers

ELSEWHERE = re.compile(r"^\.|[/\\:~]")
"""What a text holds that names a file outside its environment's package, or ``module:Id``; MuJoCo's
environments take a name that begins with a point for a file of the current folder."""


def leading(arguments: Iterable[tuple[str, Any]]) -> tuple[str, ...]:
    """The arguments that may name a file or another environment, as ``name=value``.

    >>> leading({"xml_file": "./other.xml", "map_name": "4x4"}.items())
    ('xml_file=./other.xml',)
    """
    return tuple(
        f"{name}={text}"
        for name, value in arguments
        for text in _texts(value)
        if ELSEWHERE.search(text)
    )


def are_allowed(arguments: Mapping[str, Any]) -> bool:
    """Whether not only a stranger's folder has said where arguments lead."""
    return all(map(is_allowed, leading(arguments.items())))


def check_arguments(arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that lead elsewhere, which only a stranger's folder has said."""
    refuse_strangers(leading(arguments.items()))


def _texts(value: Any) -> Iterator[str]:
    """All texts in plain data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for item in value.items() for part in item for text in _texts(part))
    elif isinstance(value, list | tuple):
        yield from (text for part in value for text in _texts(part))

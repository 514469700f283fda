"""Arguments of an environment's constructor: as flags say them, and where they lead elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from depo.core.errors import DepoError
from depo.core.imports import is_allowed, leading, refuse_strangers


def are_allowed(arguments: Mapping[str, Any]) -> bool:
    """Whether not only a stranger's folder has said where arguments lead."""
    return all(map(is_allowed, leading(arguments.items())))


def check_arguments(arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that lead elsewhere, which only a stranger's folder has said."""
    refuse_strangers(leading(arguments.items()))


@dataclass(frozen=True)
class ArgumentFlags:
    """Flags of an environment that has none of its own."""

    env_args: tuple[str, ...] = ()
    """Arguments of the environment's constructor, NAME=VALUE, values as JSON."""
    dynamics: str = ""
    """What actions do instead, comma-separated: inverted, transposed[=2-0-1], mixed, scaled=F,
    delayed; discrete ones permuted[=1-0]; on MuJoCo gravity=F, mass=F, friction=F, damping=F."""


def parse_arguments(texts: Sequence[str]) -> dict[str, Any]:
    """Arguments from NAME=VALUE, values as JSON where they are.

    >>> parse_arguments(["k=4", "name=four"])
    {'k': 4, 'name': 'four'}
    """
    return dict(_argument(text) for text in texts)


def _argument(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise DepoError(f"--env-args '{text}' is not NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value

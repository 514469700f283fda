"""Arguments of an environment's constructor that lead elsewhere: to a file, or to code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from depo.core.imports import is_allowed, leading, refuse_strangers


def are_allowed(arguments: Mapping[str, Any]) -> bool:
    """Whether not only a stranger's folder has said where arguments lead."""
    return all(map(is_allowed, leading(arguments.items())))


def check_arguments(arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that lead elsewhere, which only a stranger's folder has said."""
    refuse_strangers(leading(arguments.items()))

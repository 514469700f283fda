"""What other packages add to depo: objects named by their entry points, or entries of tables."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

from depo.core.errors import DepoError, printable

T = TypeVar("T")
SLOW = 3.0
"""Seconds that a package may take to be imported before it is said: every command waits for it."""
_providers: dict[str, tuple[str, str]] = {}


class PluginWarning(RuntimeWarning):
    """Another package cannot be used, or keeps all others waiting."""


def load_plugins(group: str, register: Callable[[Any], Any]) -> None:
    """Hand every object of an entry-point group on; a broken one is a warning that names it, and
    nobody else suffers."""
    for point in entry_points(group=group):
        began, had_jax = time.monotonic(), "jax" in sys.modules
        try:
            register(point.load())
        except (Exception, SystemExit) as error:  # anybody's code, which may leave Python, too
            said = printable(f"{type(error).__name__}: {error}".removeprefix("DepoError: "))
            _warn(f"{_named(point)} ({group}: {point.value}) cannot be used: {said}")
            continue
        if point.dist is not None:
            _providers[point.module.partition(".")[0]] = (point.dist.name, point.dist.version)
        seconds = time.monotonic() - began
        if seconds > SLOW:
            why = ", as it imports JAX" if "jax" in sys.modules and not had_jax else ""
            _warn(
                f"{_named(point)} takes {seconds:.0f} s to be imported{why}, and every command "
                "waits for it: import what is slow inside functions, or where deferred() names it"
            )


def provider(module: str) -> tuple[str, str] | None:
    """Name and version of the package that an entry point brought a module from; None: it is
    depo's own, or was registered in Python."""
    return _providers.get(module.partition(".")[0])


def add_once(table: dict[str, T], family: str, entry: T, kind: str) -> None:
    """Add to a table by family what nobody else has added for that one."""
    if table.setdefault(family, entry) is not entry:
        raise DepoError(f"the family '{family}' has its {kind} already: name your own")


def is_defined_again(before: type, now: type) -> bool:
    """Whether a class is another's code run once more: a cell of a notebook, or a module that was
    reloaded.

    >>> is_defined_again(DepoError, DepoError)
    False
    """
    same = (before.__module__, before.__qualname__) == (now.__module__, now.__qualname__)
    return same and (before is not now or now.__module__ == "__main__")


def _named(point: EntryPoint) -> str:
    package = point.dist.name if point.dist is not None else "an unknown package"
    return f"'{point.name}' of the package {package}"


def _warn(sentence: str) -> None:
    warnings.warn(sentence, PluginWarning, stacklevel=3)

"""Whose fault it is where a method of another package fails: a sentence with the place."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterator

from depo.core.errors import DepoError
from depo.core.plugins import provider
from depo.core.stopping import Stopped
from depo.methods.registry import MethodSpec

OURS = "depo"


@contextlib.contextmanager
def blaming(spec: MethodSpec) -> Iterator[None]:
    """Errors of a method's own code become a sentence; those of depo's methods stay as they are."""
    packages = packages_of(spec)
    try:
        yield
    except (DepoError, Stopped, OSError, MemoryError):
        raise
    except Exception as error:
        if not packages or "RESOURCE_EXHAUSTED" in str(error):
            raise
        text = " ".join(str(error).split())
        raise DepoError(
            f"method '{spec.name}'{_of_package(packages)} failed{_place(error, packages)}: "
            f"{type(error).__name__}{f': {text}' if text else ''}"
        ) from error


def packages_of(spec: MethodSpec) -> set[str]:
    """The packages that a method is from, as they are imported; none: it is depo's."""
    modules = {own.settings.__module__ for own in spec.implementations.values()}
    return {name.partition(".")[0] for name in modules} - {OURS}


def _of_package(packages: set[str]) -> str:
    found = [known for name in packages if (known := provider(name)) is not None]
    return f" of the package {' '.join(found[0])}" if found else ""


def _place(error: Exception, packages: set[str]) -> str:
    """The innermost line that is the package's own; empty: it is none of its lines."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        module = str(frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] in packages:
            return f" in {frame.f_code.co_name}() of {module}, line {line}"
    return ""

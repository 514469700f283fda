"""What other packages add to depo: objects named by their entry points, or entries of tables."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any, TypeVar

from depo.core.errors import DepoError

T = TypeVar("T")


def load_plugins(group: str, register: Callable[[Any], Any]) -> None:
    """Hand every object of an entry-point group on; a broken one is a warning that names it."""
    for point in entry_points(group=group):
        try:
            register(point.load())
        except Exception as error:
            package = point.dist.name if point.dist is not None else "an unknown package"
            warnings.warn(
                f"'{point.name}' of {package} ({group}: {point.value}) cannot be used: "
                f"{type(error).__name__}: {error}",
                RuntimeWarning,
                stacklevel=2,
            )


def add_once(table: dict[str, T], family: str, entry: T, kind: str) -> None:
    """Add to a table by family what nobody else has added for that one."""
    if table.setdefault(family, entry) is not entry:
        raise DepoError(f"the family '{family}' has its {kind} already: name your own")

"""Modules of the user, by name."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

from depo.core.errors import DepoError


def import_module(module: str, needed_by: str) -> ModuleType:
    """A module, also of the current folder as with ``python -m``, or a sentence.

    >>> import_module("math", "the example").pi > 3
    True
    """
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return importlib.import_module(module)
    except Exception as error:
        raise DepoError(f"cannot import '{module}' of {needed_by}: {error}") from None

"""The run-time type checker of the tests: an int is a float, as for static checkers.

Tests marked ``wrong_types`` give arguments of a wrong type on purpose, to see our own sentence
about them: for these the checker looks away.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from beartype import BeartypeConf, beartype

_beartyped: Any = beartype(conf=BeartypeConf(is_pep484_tower=True))
looks_away = False


def check(checked: Any) -> Any:
    """A function or class whose arguments are checked, unless the checker looks away."""
    strict = _beartyped(checked)
    if not isinstance(checked, Callable) or isinstance(checked, type):
        return strict

    @functools.wraps(checked)
    def either(*arguments: Any, **named: Any) -> Any:
        return (checked if looks_away else strict)(*arguments, **named)

    return either

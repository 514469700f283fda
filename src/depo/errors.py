"""The one exception users see: a sentence that names the thing, the value and the remedy."""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Iterable
from typing import Any, Literal, get_args, get_origin, get_type_hints


class DepoError(Exception):
    """Something the user can mend; the command line prints the sentence and exits with 2."""


def unknown(kind: str, name: str, known: Iterable[str]) -> DepoError:
    """The error for a name nobody knows, with the nearest known one.

    >>> str(unknown("method", "dep0", ["depo", "bco"]))
    "unknown method 'dep0': did you mean 'depo'? (known: bco, depo)"
    """
    known = sorted(known)
    near = difflib.get_close_matches(name, known, n=8, cutoff=0.4)
    hint = f"did you mean '{near[0]}'? " if near else ""
    listed = known if len(known) <= 24 else [*near, f"… {len(known)} in all"]
    return DepoError(f"unknown {kind} '{name}': {hint}(known: {', '.join(listed)})")


def check_fields(settings: Any, whose: str) -> None:
    """Refuse values of a dataclass that are not what its annotations say: numbers (finite ones),
    words among those known, yes or no. Other annotations say nothing."""
    for name, hint in get_type_hints(type(settings)).items():
        value = getattr(settings, name)
        if get_origin(hint) is Literal:
            if value not in get_args(hint):
                raise unknown(name, str(value), get_args(hint))
        elif hint in _KINDS:
            kind, called = _KINDS[hint]
            fits = isinstance(value, kind) and isinstance(value, bool) == (hint is bool)
            if not fits or (hint is float and not math.isfinite(value)):
                raise DepoError(f"{whose}: {name} {value!r} is not {called}")


_KINDS: dict[Any, tuple[type, str]] = {
    float: (numbers.Real, "a finite number"),
    int: (numbers.Integral, "a whole number"),
    bool: (bool, "true or false"),
    str: (str, "a text"),
}

"""What can be wrong with an environment family from elsewhere, said when it is registered."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

from depo.core.codec import decode, encode
from depo.core.errors import DepoError

if TYPE_CHECKING:
    from depo.environments.family import EnvironmentFamily


def family_problems(family: EnvironmentFamily) -> Iterator[str]:
    """What is wrong with a family's own facts, a sentence each; nothing: it can be registered."""
    name, names, kind = (getattr(family, x, None) for x in ("name", "names", "settings"))
    if not isinstance(name, str) or not name:
        yield f"name {name!r} is no text: run folders call the family so"
    said = isinstance(names, tuple) and all(isinstance(x, str) and x for x in names)
    if not said or not names:
        yield f"names {names!r} is no tuple of what --env may say, as ('mine',) is"
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):
        yield f"settings {kind!r} is no dataclass: write @dataclass(frozen=True) above a class"
        return
    try:
        made = kind()
        again = decode(kind, encode(made), "settings")
    except (DepoError, TypeError) as error:
        yield f"settings {kind.__name__} cannot be made without arguments, or stored: {error}"
        return
    if again != made:
        yield f"settings {kind.__name__} are not read as they were stored: {again} for {made}"

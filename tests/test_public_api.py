"""The public API is what public_api.txt says; a change of it is deliberate.

After one that is meant: ``python -m tests.test_public_api`` writes the file anew; commit it.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import depo

SNAPSHOT = Path(__file__).parent / "public_api.txt"


def described() -> str:
    """Every public name with its signature; of a class every public method and property."""
    return "\n".join(line for name in sorted(depo.__all__) for line in _lines(name)) + "\n"


def _lines(name: str) -> Iterator[str]:
    thing = getattr(depo, name)
    yield f"depo.{name}{_signature(thing)}"
    if inspect.isclass(thing) and not issubclass(thing, Exception):
        for member, raw in sorted(vars(thing).items()):
            if not member.startswith("_") and member not in getattr(
                thing, "__dataclass_fields__", {}
            ):
                yield f"    {_member(member, raw)}"


def _member(name: str, raw: Any) -> str:
    if isinstance(raw, property) or hasattr(raw, "attrname"):  # a cached property
        return f"{name} (property)"
    found = getattr(raw, "__func__", raw)
    return f"{name}{_signature(found)}" if callable(found) else f"{name} (attribute)"


def _signature(thing: Any) -> str:
    try:
        return re.sub(r" at 0x\w+", "", str(inspect.signature(thing)))
    except (TypeError, ValueError):
        return ""


def test_the_public_api_is_as_it_was() -> None:
    then, now = SNAPSHOT.read_text().splitlines(), described().splitlines()
    changes = "\n".join(difflib.unified_diff(then, now, "public_api.txt", "now", lineterm="", n=0))
    assert not changes, (
        f"the public API has changed:\n{changes}\nIf that is meant, write it down with "
        "'python -m tests.test_public_api', commit it, and tell it in CHANGELOG.md."
    )


def test_every_public_name_is_documented_and_typed() -> None:
    contents = depo.__doc__ or ""
    source = Path(depo.__file__).read_text()
    for name in depo.__all__:
        thing = getattr(depo, name)
        assert (thing.__doc__ or "").strip(), f"depo.{name} has no docstring"
        assert f"``{name}``" in contents, f"depo.{name} is not in the table of contents"
        assert name in source.partition("TYPE_CHECKING:")[2].partition("_HOME")[0], name
    assert dir(depo) == depo.__all__ == sorted(depo.__all__, key=lambda n: (n.islower(), n))


if __name__ == "__main__":
    SNAPSHOT.write_text(described())

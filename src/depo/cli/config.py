"""``--config FILE.toml``: values below those of flags, checked as flags are; and how to write one.

Keys are the names of flags with ``_`` for ``-``. Tables only group them: ``[planner]`` is for the
reader. Nothing in the file is run.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from depo.core.errors import DepoError
from depo.core.files import read_toml

HELP = "A TOML file of values for these flags; a flag that is given beats it."


def peek(argv: list[str], flag: str) -> str:
    """The value of a flag before it is parsed: the last one, as the parser takes it."""
    value = ""
    for i, word in enumerate(argv):
        if word == flag and i + 1 < len(argv):
            value = argv[i + 1]
        elif word.startswith(flag + "="):
            value = word.partition("=")[2]
    return value


@contextlib.contextmanager
def named_in(file: str) -> Iterator[None]:
    """Errors begin with the file that the values are from."""
    try:
        yield
    except DepoError as error:
        raise DepoError(f"{file}: {error}") from None


def read_config(file: str) -> dict[str, Any]:
    """The values of a file by the names of flags; no file, no values."""
    values: dict[str, Any] = {}
    for name, value in _entries(read_toml(Path(file)) if file else {}):
        if name in values:
            raise DepoError(f"{file}: '{name}' is there twice: leave one out")
        values[name] = value
    return values


def _entries(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _entries(value)
        else:
            yield name, value


def toml_value(value: Any) -> str:
    """A value as TOML has it.

    >>> toml_value(("a", 1, 0.5, True))
    '["a", 1, 0.5, true]'
    """
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, float):
        if not math.isfinite(value):
            raise DepoError(f"{value} is no finite number and cannot be written")
        text = repr(value)
        return text if "." in text or "e" not in text else text.replace("e", ".0e")
    if isinstance(value, bool | int | str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    raise DepoError(f"{value!r} is no number, text or list and cannot be written")

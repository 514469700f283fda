"""``--config FILE.toml``: values below those of flags, checked as flags are; and how to write one.

Keys are the names of flags with ``_`` for ``-``. Tables only group them: ``[planner]`` is for the
reader. Nothing in the file is run.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from depo.core.errors import DepoError
from depo.core.files import read_toml
from depo.core.imports import leading
from depo.environments.arguments import parse_arguments
from depo.models.skill_source import wanted_formula

LEADING = ("env", "env_args", "observe", "skill", "variants")
"""Settings whose values may name a module, or a file that an environment opens."""
NAMED = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w./-]*")
"""What an argument of an environment holds that names another, ``module:Id``."""
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


def trusts(argv: Sequence[str]) -> bool:
    """Whether a command line, before it is parsed, says that what files name may be imported."""
    return "--trust" in argv or peek(list(argv), "--trust").lower() == "true"


def read_config(file: str, argv: Sequence[str] = ()) -> dict[str, Any]:
    """The values of a file by the names of flags; no file, no values.

    It may come from anybody: modules that it names are imported only if the command line names
    them too, or says --trust; which no file can say.
    """
    values: dict[str, Any] = {}
    for name, value in _entries(read_toml(Path(file)) if file else {}):
        if name in values:
            raise DepoError(f"{file}: '{name}' is there twice: leave one out")
        values[name] = value
    if "trust" in values:
        raise DepoError(f"{file}: 'trust' is for you to say, on the command line: leave it out")
    if not trusts(argv):
        refuse_leading({n: v for n, v in values.items() if not _is_given(n, argv)}, file)
    return values


def _is_given(name: str, argv: Sequence[str]) -> bool:
    """Whether the command line has a value of a setting's, so that the file's is not used."""
    flags = {f"--{name}", f"--{name.replace('_', '-')}"}
    return any(peek(list(argv), flag) for flag in flags)


def refuse_leading(values: Mapping[str, Any], file: str, *, have_flags: bool = True) -> None:
    """Refuse values of a file that would have a module imported, or another file opened;
    ``have_flags``: the command line could say them instead."""
    for name in LEADING:
        own = values.get(name)
        for value in own if isinstance(own, list) else [own]:
            if not (wanted := _wanted(name, value)):
                continue
            words = map(str, own if isinstance(own, list) else [own])
            flag = " ".join([f"--{name.replace('_', '-')}", *words])
            raise DepoError(
                f"{file} names {wanted} and may be anybody's: nothing was imported or opened; "
                "if you know what it is, "
                + (f"write {flag} yourself, or --trust" if have_flags else "say --trust")
            )


def _wanted(flag: str, value: object) -> str:
    """What a value of a flag would have imported or opened, in words; empty: nothing."""
    if not isinstance(value, str):
        return ""
    if flag == "env_args":
        found = NAMED.search(value)
        given = {} if found or "=" not in value else parse_arguments([value])
        if led := leading(given.items()):
            return f"a file or an address (env_args = '{led[0]}')"
        name = found[0] if found else ""
    elif flag == "skill":
        name = "".join(wanted_formula(value))
    else:
        name = next((word.strip() for word in re.split("[,;]", value) if ":" in word), "")
    return f"the module '{name.rpartition(':')[0]}' ({flag} = '{name}')" if name else ""


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
        text = json.dumps(value, ensure_ascii=False)
        return "".join(x if x.isprintable() else f"\\U{ord(x):08x}" for x in text)
    raise DepoError(f"{value!r} is no number, text or list and cannot be written")

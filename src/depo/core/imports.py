"""Modules of the user, by name; never because a stranger's folder names one.

A name (``module:Id-v0``, ``module:function``) that was read from a folder which this user has not
made is remembered as a stranger's, and its module is not imported until the user names it or says
that the folder is trusted. Who opens such a folder refuses it before (:mod:`depo.runs.run`); what
is here holds for whatever comes after.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from depo.core.errors import DepoError

ELSEWHERE = re.compile(r"^\.|[/\\:~]")
"""What a text holds that names a file outside its environment's package, or ``module:Id``; MuJoCo's
environments take a name that begins with a point for a file of the current folder."""

EXTRAS = {"gymnasium_robotics": "robotics"}
"""Modules whose environments the pages name, and the extra that brings each."""

_allowed: set[str] = set()
"""Names that the user has said in this process, or a folder of the user's."""
_elsewhere: set[str] = set()
"""Those of them that only folders have said which the user made in another place than this one."""
_strangers: dict[str, str] = {}
"""Names that a stranger's folder has said, and the folder."""


def allow(names: Iterable[str], *, made_here: bool = True) -> None:
    """The user has named these, or trusts the folder that does.

    If it was not made in the current folder, modules that lie there are not meant: whoever hands a
    folder of the user's back could have put them beside it.
    """
    for name in names:
        if made_here:
            _elsewhere.discard(name)
        elif name not in _allowed:
            _elsewhere.add(name)
        _allowed.add(name)


def distrust(names: Iterable[str], folder: str) -> None:
    """A folder that is not the user's has named these."""
    for name in names:
        _strangers.setdefault(name, folder)


def is_allowed(name: str) -> bool:
    """Whether not only a stranger has said this name."""
    return name in _allowed or name not in _strangers


def refuse_strangers(names: Iterable[str]) -> None:
    """Refuse names that only a stranger's folder has said."""
    if wanted := [name for name in names if not is_allowed(name)]:
        raise refuse(_strangers[wanted[0]], wanted)


def refuse(folder: str, names: Collection[str]) -> DepoError:
    """The sentence for a folder that wants what only the user can allow.

    >>> print(refuse("gift", ["evil:Arm-v0"]))  # doctest: +ELLIPSIS
    gift was not made by you, or was changed since, and wants the module 'evil' (evil:Arm-v0)...
    """
    wanted = " and ".join(_described(name) for name in names)
    return DepoError(
        f"{folder} was not made by you, or was changed since, and wants {wanted}: nothing was "
        "imported; if you know that code, --trust or trust=True allows it"
    )


def _described(name: str) -> str:
    if "=" in name:
        return f"the argument {name}"
    return f"the module '{name.rpartition(':')[0]}' ({name})"


def import_module(module: str, kind: str, name: str) -> ModuleType:
    """The module of a name, or a sentence; those of the current folder are found, too, but last:
    nothing in it stands in for an installed package.

    >>> import_module("math", "skill", "math:sin").pi > 3
    True
    """
    refuse_strangers([name])
    with contextlib.suppress(OSError):  # a folder that was removed
        if name not in _elsewhere and (here := str(Path.cwd())) not in sys.path:
            sys.path.append(here)
    try:
        return importlib.import_module(module)
    except Exception as error:
        extra = EXTRAS.get(module) if isinstance(error, ModuleNotFoundError) else None
        where = f": pip install 'depo[{extra}]'" if extra else ""
        if name in _elsewhere:
            where = "; if it lies in the current folder, where this was not made, say --trust"
        raise DepoError(f"cannot import '{module}' of {kind} '{name}': {error}{where}") from None


def leading(arguments: Iterable[tuple[str, Any]]) -> tuple[str, ...]:
    """The arguments that may name a file or another environment, as ``name=value``.

    >>> leading({"xml_file": "./other.xml", "map_name": "4x4"}.items())
    ('xml_file=./other.xml',)
    """
    return tuple(
        f"{name}={text}"
        for name, value in arguments
        for text in _texts(value)
        if ELSEWHERE.search(text)
    )


def _texts(value: Any) -> Iterator[str]:
    """All texts in plain data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for item in value.items() for part in item for text in _texts(part))
    elif isinstance(value, list | tuple):
        yield from (text for part in value for text in _texts(part))

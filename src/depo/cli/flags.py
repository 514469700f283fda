"""Flags of plain commands, from their dataclasses, above the values of ``--config``."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Iterable, Mapping
from itertools import pairwise, takewhile
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import tyro

from depo.cli.config import HELP as CONFIG_HELP
from depo.cli.config import named_in, peek, read_config
from depo.core.annotations import expected
from depo.core.codec import decode_each, decode_word
from depo.core.errors import DepoError, readable, unknown

Command = TypeVar("Command")
HELP_WORDS = {"-h", "--help"}


def parse(command: type[Command], argv: list[str], prog: str) -> Command:
    """Flags of a plain dataclass, above the values of ``--config``."""
    file = peek(argv, "--config")
    config = Annotated[str, tyro.conf.arg(help=CONFIG_HELP)]
    kind = dataclasses.make_dataclass(
        command.__name__,
        [("config", config, dataclasses.field(default=""))],
        bases=(command,),
        frozen=True,
    )
    if not HELP_WORDS & set(argv):
        _check_names(_flat_kinds(kind), argv)
        check_words(_flat_kinds(kind), argv)
    return tyro.cli(
        kind,
        args=argv,
        prog=prog,
        description=inspect.getdoc(command),
        default=_with_config(kind, read_config(file, argv), file),
        config=(tyro.conf.FlagCreatePairsOff,),
    )


def _check_names(kinds: Mapping[str, Any], argv: Iterable[str]) -> None:
    """Refuse a flag that is none, with the nearest that are."""
    known = {"--config", *map(as_flag, kinds)}
    switched_off = {as_flag(f"no_{name}") for name, kind in kinds.items() if kind is bool}
    for word in takewhile(lambda word: word != "--", argv):
        flag = with_hyphens(word.partition("=")[0])
        is_known = flag in known | switched_off or flag.startswith("--tyro-")
        if flag.startswith("--") and not is_known:
            raise unknown("flag", flag, known)


def check_words(kinds: Mapping[str, Any], argv: list[str]) -> None:
    """Refuse a flag's value that is not of its kind in a sentence; tyro would draw a box."""
    for word, following in pairwise([*argv, "--"]):
        flag, equals, value = word.partition("=")
        kind = kinds.get(flag[2:].replace("-", "_")) if flag.startswith("--") else None
        if kind in (None, bool) or get_origin(kind) is tuple:
            continue  # what takes no value, or several
        if not equals and following.startswith("--"):
            raise DepoError(f"{flag} needs a value: {expected(kind)}")
        decode_word(kind, value if equals else following, flag)


def check_strays(kinds: Mapping[str, Any], argv: Iterable[str]) -> None:
    """Refuse a word that is no flag's value, for commands that take flags only; tyro would draw a
    box.

    >>> check_strays({"steps": int}, ["--steps", "5", "6"])
    Traceback (most recent call last):
    depo.core.errors.DepoError: '6' belongs to no flag: --steps takes one value
    >>> check_strays({"json": bool}, ["--no-json", "6"])
    Traceback (most recent call last):
    depo.core.errors.DepoError: '6' belongs to no flag: --no-json takes no value
    """
    flag, room, kind = "", 0.0, None
    for word in argv:
        if word.startswith("--"):
            flag, equals, _ = word.partition("=")
            name = flag[2:].replace("-", "_")
            kind = kinds.get(name) or kinds.get(name.removeprefix("no_"), tuple)
            is_long = tuple in (kind, *map(get_origin, (kind, *get_args(kind))))
            room = math.inf if is_long else float(kind is not bool and not equals)
        elif room < 1:
            count = "no" if kind is bool else "one"
            takes = f": {flag} takes {count} value" if flag else ""
            raise DepoError(f"'{readable(word)}' belongs to no flag{takes}")
        else:
            room -= 1


def _with_config(kind: Any, values: Mapping[str, Any], file: str) -> Any:
    """Defaults of a command with a file's values; what has none stays required."""
    kinds = _flat_kinds(kind)
    with named_in(file):
        for name in values:
            if name not in kinds:
                raise unknown("setting", name, kinds)
    return _filled(kind, decode_each(kinds, values, file), tyro.MISSING)


def _flat_kinds(kind: Any) -> dict[str, Any]:
    """What a file may say of a command: all that is given by flags, those of its parts too."""
    kinds: dict[str, Any] = {}
    plain, marked = get_type_hints(kind), get_type_hints(kind, include_extras=True)
    for field in dataclasses.fields(kind):
        own = plain[field.name]
        if dataclasses.is_dataclass(own):
            kinds |= _flat_kinds(own)
        elif tyro.conf.Positional not in getattr(marked[field.name], "__metadata__", ()):
            kinds[field.name] = own
    kinds.pop("config", None)
    return kinds


def _filled(kind: Any, values: Mapping[str, Any], missing: Any, default: Any = None) -> Any:
    hints, filled = get_type_hints(kind), {}
    for field in dataclasses.fields(kind):
        before = missing if default is None else getattr(default, field.name)
        if field.default is not dataclasses.MISSING and default is None:
            before = field.default
        elif field.default_factory is not dataclasses.MISSING and default is None:
            before = field.default_factory()
        if dataclasses.is_dataclass(hints[field.name]):
            filled[field.name] = _filled(hints[field.name], values, missing, before)
        else:
            filled[field.name] = values.get(field.name, before)
    return kind(**filled)


def with_hyphens(word: str) -> str:
    """A flag as the command line documents it; other words as they are."""
    flag, equals, value = word.partition("=")
    return flag.replace("_", "-") + equals + value if word.startswith("--") else word


def as_flag(name: str) -> str:
    """A setting's name as the command line writes it."""
    return f"--{name.replace('_', '-')}"

"""``--help`` of training commands: the flags that people change first, then all others grouped."""

from __future__ import annotations

import shutil
import textwrap
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin

from rich.text import Text

from depo.cli.output import stdout
from depo.core.errors import printable
from depo.methods.settings_tree import Heading

ENVIRONMENT = "environment"
"""The heading of an environment's own flags."""
HEADINGS = tuple(
    heading
    for own in get_args(Heading)
    for heading in ((own, ENVIRONMENT) if own == "what" else (own,))
)
FIRST = (
    *("env", "demos", "variants", "dynamics", "k", "steps", "seeds", "preset", "out"),
    *("hidden", "batch_steps", "updates_per_step", "skill_rate", "calibration", "minibatch"),
)
"""What people change first: of these, the first ten that a command has."""
SHOWN_FIRST = 10
NARROWEST, WIDEST, COLUMN = 60, 120, 25


@dataclass(frozen=True)
class Flag:
    """A flag of a training command."""

    name: str
    """As settings are named: with ``_``."""
    type: Any
    default: Any
    doc: str
    heading: str

    @property
    def label(self) -> str:
        """How it is given."""
        words = self.name.replace("_", "-")
        if self.type is bool:
            return f"--[no-]{words}" if self.default else f"--{words}"
        return f"--{words} {_metavar(self.type)}"


def print_help(prog: str, summary: str, flags: Sequence[Flag]) -> None:
    """The help of a command for people, as wide as the terminal up to 120 columns."""
    width = min(WIDEST, max(NARROWEST, shutil.get_terminal_size().columns))
    about = f"{summary} [In brackets: what holds here if a flag is left out.]"
    stdout.print(Text(f"usage: {prog} [flags]"), soft_wrap=True)
    stdout.print(Text(f"\n{textwrap.fill(about, width)}"), soft_wrap=True)
    for heading, own in grouped(flags).items():
        stdout.print(Text(f"\n{heading}", style="bold"))
        for flag in own:
            for line in _lines(flag, width):
                stdout.print(Text(line), soft_wrap=True)


def grouped(flags: Sequence[Flag]) -> dict[str, list[Flag]]:
    """Flags by heading; those that people change first come first, and only there."""
    by_name = {flag.name: flag for flag in flags}
    first = [by_name[name] for name in FIRST if name in by_name][:SHOWN_FIRST]
    rest = {flag.name: flag for flag in flags if flag not in first}
    groups = {"what people change first": first}
    return groups | by_heading(rest)


def by_heading(flags: Mapping[str, Flag]) -> dict[str, list[Flag]]:
    """Flags under the headings that have any, in their order; those that only a method of another
    package knows come last."""
    known = dict.fromkeys([*HEADINGS, *(flag.heading for flag in flags.values())])
    groups = {heading: [f for f in flags.values() if f.heading == heading] for heading in known}
    return {heading: own for heading, own in groups.items() if own}


def value_text(value: Any) -> str:
    """A value as it is given on the command line.

    >>> [value_text(x) for x in (True, 0.5, "", ("1,1", "2,2"), None)]
    ['on', '0.5', 'empty', '1,1 2,2', 'not set']
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None:
        return "not set"
    text = " ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
    return printable(text) or "empty"


def _lines(flag: Flag, width: int) -> Iterator[str]:
    """The label on the left, its sentence and default on the right."""
    default = "" if flag.default in ("", ()) else f" [{value_text(flag.default)}]"
    text = flag.doc.replace("``", "") + default
    body = textwrap.wrap(text, width - COLUMN, break_long_words=False, break_on_hyphens=False)
    body = body or [""]  # of a method whose source cannot be read, as in a notebook
    label = f"  {flag.label}"
    if len(label) < COLUMN - 1:
        label, body = f"{label:{COLUMN}}{body[0]}", body[1:]
    yield label
    yield from (" " * COLUMN + line for line in body)


def _metavar(kind: Any) -> str:
    """What stands for the value.

    >>> _metavar(int | None), _metavar(tuple[str, ...]), _metavar(Literal["a", "b"])
    ('N', 'TEXT…', 'a|b')
    """
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _metavar(next(each for each in inner if each is not type(None)))
    if origin is Literal:
        return "|".join(map(str, inner))
    if origin is tuple:
        return f"{_metavar(inner[0])}…"
    return {int: "N", float: "X", str: "TEXT"}.get(kind, "VALUE")

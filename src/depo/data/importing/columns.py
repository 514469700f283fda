"""Which columns become the state, under which names and in which units: what ``--columns`` says.

One item is ``[NAME=]COLUMN[..COLUMN][:WORD…]``: a column by its header (with its unit or without),
all columns from one to another in the file's order, or all components of a vector. Words after a
colon are a unit (``deg``, ``mm/s``), ``angle`` or ``linear`` (whether jumps of a turn are undone),
``wrapped`` (an angle in (−π, π]), ``rate`` (its derivative) and ``quaternion`` (four columns: w, x,
y, z).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from depo.core.errors import DepoError, readable, unknown
from depo.data.importing.roles import GUESSED, bare, is_counter, no_states
from depo.data.importing.table import Column, Table
from depo.data.importing.units import ANGLE, BRACKETED, Unit, parse_unit

LINEAR, QUATERNION = "linear", "quaternion"
COMPONENT = re.compile(r"\.\d+$")
"""What a column's header ends with that is a component of a vector."""
NAMES = re.compile(
    r"(name|signal|sensor|channel|topic|variable|key|joint|quantity|field|metric|parameter|tag)"
    r"(name|id)?$"
)
VALUES = re.compile(r"(values?|val|reading|measurement|data|samples?)$")
"""What columns are called where a row is one value of one sensor."""
CELSIUS = ("°c", "degc", "celsius")
WORDS = (ANGLE, LINEAR, "wrapped", "rate", QUATERNION)


@dataclass(frozen=True)
class Signal:
    """What is interpolated as one thing: a column, or the four of a quaternion."""

    headers: tuple[str, ...]
    factor: float = 1.0
    kind: str = LINEAR
    is_certain: bool = True
    """Whether somebody said its kind, rather than what it is called."""


class Feature(NamedTuple):
    """One number of a state: a component of a signal, or its rate."""

    name: str
    signal: int
    component: int = 0
    is_rate: bool = False
    low: float | None = None
    """Where the range of an angle begins in which it is kept, −π or 0; None: it has none."""
    is_free: bool = False
    """Whether somebody said that it has none."""


@dataclass(frozen=True)
class Selection:
    """Signals to read, and the features that are made of them."""

    signals: tuple[Signal, ...]
    features: tuple[Feature, ...]

    @property
    def headers(self) -> list[str]:
        """The columns to read, one after the other."""
        return [header for signal in self.signals for header in signal.headers]

    @property
    def names(self) -> tuple[str, ...]:
        """The features' names."""
        return tuple(feature.name for feature in self.features)


class _Item(NamedTuple):
    """One item of ``--columns``, understood."""

    name: str
    columns: list[Column]
    unit: Unit | None
    words: frozenset[str]


def choose(
    table: Table,
    items: Sequence[str] = (),
    *,
    without: Sequence[str] = (),
    velocities: bool = False,
) -> tuple[Selection, list[str]]:
    """The selection that some items mean in a table, and what was left out.

    Without items: the state that the format knows, or all columns but ``without`` (time, episode)
    and those that only count rows. ``velocities`` appends the rate of every feature.
    """
    left: list[str] = []
    if items:
        chosen = [_parsed(text, table) for item in items for text in _separate(item, table)]
    else:
        columns, left = _default(table, without)
        chosen = [_Item("", [column], None, frozenset()) for column in columns]
    signals: dict[Signal, int] = {}
    features: list[Feature] = []
    for item in _grouped(chosen):
        features += _features(item, signals, table)
    if velocities:
        plain = [f for f in features if not f.is_rate and len(list(signals)[f.signal].headers) == 1]
        features += [f._replace(name=f"{f.name}_velocity", is_rate=True, low=None) for f in plain]
    names = [feature.name for feature in features]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DepoError(
            f"{table.path}: two features would be called '{twice}': rename one, as "
            f"--columns other={twice}"
        )
    if not features:
        raise DepoError(f"{table.path} has no column of numbers beside its time: nothing to import")
    return Selection(tuple(signals), tuple(features)), left


def resolve(text: str, table: Table, words: bool = False) -> list[str]:
    """The headers that a word of the user's means; ``words``: columns of words count, too."""
    columns = list(table.columns) + [Column(h, h) for h in (table.others if words else ())]
    low = text.lower()
    for found in (
        [c.header for c in columns if c.header == text],
        [c.header for c in columns if c.name == text],
        [c.header for c in columns if c.header.startswith(f"{text}.")],
        [c.header for c in columns if low in (c.header.lower(), c.name.lower())],
        _before_brackets(text, columns),
    ):
        if found:
            return found
    if text in table.others:
        raise DepoError(
            f"{table.path}: column '{text}' holds words or dates, no numbers: leave it out of "
            "--columns"
        )
    raise DepoError(f"{table.path}: {unknown('column', text, {c.name for c in columns})}")


def _before_brackets(text: str, columns: Sequence[Column]) -> list[str]:
    """The one column that is called so but for a unit that nobody knows."""
    matches = [(c.header, BRACKETED.match(c.header)) for c in columns]
    found = [header for header, match in matches if match and match["name"] == text]
    return found if len(found) == 1 else []


def resolve_one(text: str, table: Table, flag: str) -> str:
    """The same where it must be one column."""
    found = resolve(text, table, words=True)
    if len(found) > 1:
        raise DepoError(
            f"{table.path}: {flag} {text} means {len(found)} columns ({', '.join(found[:4])}): "
            "give one of them"
        )
    return found[0]


def unread_units(table: Table, selection: Selection) -> list[str]:
    """A sentence for each unit in the headers of chosen columns that converts nothing."""
    found, said = [], {h for s in selection.signals if s.is_certain for h in s.headers}
    chosen = set(selection.headers)
    for column in (c for c in table.columns if c.header in chosen):
        inside = BRACKETED.match(column.header)
        if column.unit is not None and column.unit.name.lower() in CELSIUS:
            found.append(f"'{readable(column.name)}' stays in degrees Celsius")
        elif column.header not in said and inside and not inside["unit"].strip().isdigit():
            found.append(
                f"the unit of '{readable(column.header)}' is not known: its numbers are taken as "
                "they are"
            )
    return found


def _separate(item: str, table: Table) -> list[str]:
    """Items may be separated by commas, unless a header has them."""
    whole = {item, item.partition("=")[2].strip() or item}
    if "," not in item or any(whole & {c.header, c.name} for c in table.columns):
        return [item]
    return [part.strip() for part in item.split(",") if part.strip()]


def _parsed(item: str, table: Table) -> _Item:
    text, name, unit, words = item, "", None, set()
    known = {c.header for c in table.columns} | {c.name for c in table.columns}
    before, _, after = (part.strip() for part in text.partition("="))
    if (
        text not in known and after and after in known
    ):  # a header may hold what elsewhere means something
        name, text = before, after
    while text not in known and ":" in text:
        rest, _, word = text.rpartition(":")
        if word in WORDS:
            words.add(word)
        elif (own := parse_unit(word)) is not None:
            unit = own
        else:
            break
        text = rest
    if text not in known and "=" in text:
        name, _, text = (part.strip() for part in text.partition("="))
    if text not in known and ".." in text:
        first, _, last = (part.strip() for part in text.partition(".."))
        headers = [column.header for column in table.columns]
        begin = headers.index(resolve(first, table)[0])
        end = headers.index(resolve(last, table)[-1])
        if end < begin:
            raise DepoError(f"{table.path}: '{first}' comes after '{last}': turn {text} round")
        found = headers[begin : end + 1]
    else:
        found = resolve(text, table)
    by_header = {column.header: column for column in table.columns}
    return _Item(name, [by_header[header] for header in found], unit, frozenset(words))


def _default(table: Table, without: Sequence[str]) -> tuple[list[Column], list[str]]:
    if table.state:
        state = [header for header in table.state if header not in without]
        others = [c.header for c in table.columns if c.header not in table.state]
        left = dict.fromkeys(COMPONENT.sub("", header) for header in others)
        return [column for column in table.columns if column.header in state], list(left)
    rest = [column for column in table.columns if column.header not in without]
    others = no_states([column.header for column in rest])
    others += [c.header for c in rest if is_counter(c.name) and c.header not in others]
    kept = [column for column in rest if column.header not in others]
    _check_is_wide([column.header for column in kept], table)
    if not kept and others and table.others:
        raise DepoError(
            f"{table.path} has no column of numbers that may be a state, '{readable(others[0])}' "
            f"and the like are none, and '{readable(', '.join(table.others))}' hold words: write "
            "one number a column, or name columns by --columns"
        )
    if not kept:  # what is left may be anything
        return rest, []
    return kept, [*others, *table.others]


def _check_is_wide(numbers: Sequence[str], table: Table) -> None:
    """Refuse a row for each value, with the name of what was measured in a column of words."""
    names = [header for header in table.others if NAMES.match(bare(header))]
    if len(numbers) == 1 and VALUES.match(bare(numbers[0])) and names:
        name, value = readable(names[0]), readable(numbers[0])
        raise DepoError(
            f"{table.path} has a row for each value ('{value}' of what '{name}' says), and a row "
            "must be a point in time with a column for each: write it so, as polars' "
            f"DataFrame.pivot('{name}', index='{readable(table.time or 'time')}', "
            f"values='{value}') does, then sort it by time; where sensors have different rates, "
            "--max-gap is a little more than the slowest one's step"
        )


def _grouped(items: Sequence[_Item]) -> list[_Item]:
    """Items of one column each that the format says are one quaternion, put together."""
    found: list[_Item] = []
    for item in items:
        group = item.columns[0].quaternion if len(item.columns) == 1 else ""
        last = found[-1] if found else None
        is_next = last is not None and group and last.columns[0].quaternion == group
        if is_next and last is not None and len(last.columns) < 4:
            found[-1] = last._replace(columns=[*last.columns, *item.columns])
        else:
            found.append(item)
    return [
        item._replace(words=item.words | {QUATERNION, *_guess(item)})
        if len(item.columns) == 4
        and len({c.quaternion for c in item.columns} - {""}) == 1
        and not item.words & {LINEAR, QUATERNION, "rate"}
        else item
        for item in found
    ]


def _guess(item: _Item) -> set[str]:
    return {GUESSED} if item.columns[0].quaternion.startswith(GUESSED) else set()


def _axes(columns: Sequence[Column]) -> str:
    """What the components of a quaternion are, by their names; else w, x, y, z."""
    said = "".join(column.name.lower().rstrip("])")[-1:] for column in columns)
    return said if sorted(said) == sorted("wxyz") else "wxyz"


def _features(item: _Item, signals: dict[Signal, int], table: Table) -> list[Feature]:
    if QUATERNION in item.words:
        if len(item.columns) != 4 or "rate" in item.words:
            raise DepoError(
                f"{table.path}: a quaternion is four columns, as w, x, y, z, and has no rate: "
                f"'{item.columns[0].header}' and what follows are {len(item.columns)}"
            )
        headers, is_certain = tuple(c.header for c in item.columns), GUESSED not in item.words
        signal = Signal(headers, 1.0, QUATERNION, is_certain)
        number = signals.setdefault(signal, len(signals))
        names = [f"{item.name}_{axis}" for axis in _axes(item.columns)] if item.name else []
        names = names or [column.name for column in item.columns]
        return [Feature(name, number, i) for i, name in enumerate(names)]
    features = []
    for i, column in enumerate(item.columns):
        unit = item.unit or column.unit
        is_angle = unit is not None and unit.kind == ANGLE and LINEAR not in item.words
        kind = ANGLE if is_angle or item.words & {ANGLE, "wrapped"} else LINEAR
        is_certain = unit is not None or bool(item.words & {ANGLE, LINEAR, "wrapped"})
        signal = Signal((column.header,), unit.factor if unit else 1.0, kind, is_certain)
        number = signals.setdefault(signal, len(signals))
        name = item.name or column.name
        if item.name and len(item.columns) > 1:
            name = f"{item.name}_{i}"
        rate = "rate" in item.words
        if rate and not item.name:
            name = f"{name}_velocity"
        low = -math.pi if "wrapped" in item.words and not rate else None
        features.append(Feature(name, number, 0, rate, low, ANGLE in item.words))
    return features

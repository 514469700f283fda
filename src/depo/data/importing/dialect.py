"""How a text file is written: separator, decimal comma, header, units, where the rows begin."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from depo.core.errors import DepoError, readable
from depo.data.importing.table import Column
from depo.data.importing.units import Unit, parse_unit

LOOKED_AT = 1 << 18
"""Bytes from which all this is told."""
MOST_LINES = 300
SEPARATORS = (";", "\t", ",", "|", " ")
MISSING = ("", "nan", "na", "n/a", "#n/a", "null", "none", "-", "--", "?", "inf", "-inf", "+inf")
"""What a cell without a number says, in lower case."""
NUMBER = re.compile(r"[-+]?(\d++\.?\d*+|\.\d++)([eE][-+]?\d++)?$")
"""Digits are not divided in another way (``++``) where a cell of very many ends in a letter."""
COMMA_NUMBER = re.compile(r"[-+]?(\d++,\d*+|,\d++|\d++)([eE][-+]?\d++)?$")
CLOCK = re.compile(r"(\d{1,4}[-./]\d{1,2}[-./]\d{1,4}[T ]+)?\d{1,2}:\d{2}:\d{2}([.,]\d+)?Z?$")
COMMENT = re.compile(r"^\s*(#|%|//)\s*")
MOST_COLUMNS = 10_000


@dataclass(frozen=True)
class Dialect:
    """A text file's manner; columns are numbered as they stand in the file."""

    encoding: str
    separator: str
    decimal_comma: bool
    quoted: bool
    skip: int
    """Lines before the first row."""
    columns: dict[int, Column]
    """Those that hold numbers."""
    words: dict[int, str]
    """Headers of those that hold words."""
    clocks: dict[int, str]
    """Headers of those that hold dates or times of day."""
    width: int
    """How many columns a row has."""
    notes: tuple[str, ...] = ()


def text_encoding(head: bytes) -> str:
    """UTF-8 unless a byte order mark, or a byte that UTF-8 does not have, says otherwise."""
    for mark, name in [
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ]:
        if head.startswith(mark):
            return name
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def sniff(head: bytes, path: Path) -> Dialect:
    """What the first bytes of a file tell; ``path`` is for messages."""
    encoding = text_encoding(head)
    text = head.decode(encoding, errors="replace")
    if "\0" in text:
        raise DepoError(f"{path} is no text: expected CSV, TSV, Parquet, NPZ, HDF5 or a dataset")
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    if len(head) >= LOOKED_AT:
        lines = lines[:-1]  # which is cut
    lines = lines[:MOST_LINES]
    if not any(line.strip() for line in lines):
        raise DepoError(f"{path} is empty: expected a header and rows of numbers")
    separator, width = _separator(lines)
    cells = [split_line(line, separator) for line in lines]
    comma = separator != "," and _has_commas(cells)
    first = next((i for i, row in enumerate(cells) if _is_data(row, width, comma)), None)
    if first is None:
        raise DepoError(
            f"{path} has no row of numbers in its first {len(lines)} lines (line 1 is "
            f"'{readable(lines[0].strip())}'): expected a header and rows of numbers"
        )
    if width > MOST_COLUMNS:
        raise DepoError(f"{path} has {width:,} columns, at most {MOST_COLUMNS:,} are read")
    headers, units, notes = _headers(cells[:first], width, comma)
    data = [row for row in cells[first:] if any(row)]
    kinds = {i: _kind([row[i] for row in data if i < len(row)], comma) for i in range(width)}
    return Dialect(
        encoding=encoding,
        separator=separator,
        decimal_comma=comma,
        quoted=any('"' in line for line in lines),
        skip=first,
        columns={i: Column.of(headers[i], units[i]) for i in range(width) if kinds[i] == "number"},
        words={i: headers[i] for i in range(width) if kinds[i] == "word"},
        clocks={i: headers[i] for i in range(width) if kinds[i] == "clock"},
        width=width,
        notes=(*notes, *(["decimal commas"] if comma else [])),
    )


def split_line(line: str, separator: str) -> list[str]:
    """The cells of a line.

    >>> split_line('1; "a;b" ;3', ";"), split_line(" 1   2 ", " ")
    (['1', 'a;b', '3'], ['1', '2'])
    """
    if separator == " ":
        return line.split()
    if '"' in line:
        try:
            row = next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
        except csv.Error:
            row = line.split(separator)
    else:
        row = line.split(separator)
    return [cell.strip().strip('"').strip() for cell in row]


def is_number(cell: str, comma: bool) -> bool:
    """Whether a cell holds a number.

    >>> is_number("1,5", True), is_number("1,5", False), is_number("-2e-3", False)
    (True, False, True)
    """
    return bool(NUMBER.match(cell) or (comma and COMMA_NUMBER.match(cell)))


def is_missing(cell: str) -> bool:
    """Whether a cell says that there is no number."""
    return cell.lower() in MISSING


def _separator(lines: Sequence[str]) -> tuple[str, int]:
    """What separates cells, and how many there are in a row: that which makes most of them numbers,
    equally many in each line."""
    best, score = ("\t", 1), 0.0
    for separator in SEPARATORS:
        rows = [split_line(line, separator) for line in lines if line.strip()]
        width, often = Counter(map(len, rows)).most_common(1)[0]
        if width < 2:
            continue
        cells = [cell for row in rows if len(row) == width for cell in row]
        good = sum(
            is_number(c, separator != ",") or is_missing(c) or bool(CLOCK.match(c)) for c in cells
        )
        own = (often / len(rows)) * good / len(cells)
        if own > score + 1e-9:
            best, score = (separator, width), own
    return best


def _has_commas(cells: Sequence[Sequence[str]]) -> bool:
    return any("," in c and COMMA_NUMBER.match(c) for row in cells for c in row)


def _is_data(row: Sequence[str], width: int, comma: bool) -> bool:
    """Whether a line is a row: of the right width, with a number, and more numbers than words."""
    if not 0 <= width - len(row) <= width // 2:
        return False
    numbers = sum(is_number(cell, comma) or bool(CLOCK.match(cell)) for cell in row)
    words = sum(not is_missing(cell) for cell in row) - numbers
    return numbers > 0 and (numbers >= words or numbers > 2)


def _headers(
    above: Sequence[Sequence[str]], width: int, comma: bool
) -> tuple[list[str], list[Unit | None], tuple[str, ...]]:
    """Names and units of the columns, from the lines above the first row."""
    lines = [list(row) for row in above if any(row)]
    units: list[Unit | None] = [None] * width
    fitting = [row for row in lines if abs(len(row) - width) <= 1 and len(row) >= min(2, width)]
    if len(fitting) > 1 and lines[-1] is fitting[-1]:
        said = [parse_unit(cell.strip("[](){} ")) if cell else None for cell in fitting[-1]]
        if sum(unit is not None for unit in said) > sum(map(bool, fitting[-1])) / 2:
            units = [*said, *units][:width]
            lines, fitting = lines[:-1], fitting[:-1]
    if not lines or not fitting or lines[-1] is not fitting[-1]:
        names = [str(i + 1) for i in range(width)]
        return names, units, ("no header: columns are called 1, 2, 3, …",)
    row = fitting[-1]
    row[0] = COMMENT.sub("", row[0])
    names, seen, notes = [], Counter[str](), []
    for i in range(width):
        name = row[i] if i < len(row) and row[i] else f"column {i + 1}"
        seen[name] += 1
        if seen[name] > 1:
            notes.append(f"column '{readable(name)}' is there twice: the second is '{name}.2'")
            name = f"{name}.{seen[name]}"
        names.append(name)
    if len(lines) > 1:
        notes.append(f"{len(lines) - 1} lines above the header are not read")
    return names, units, tuple(notes)


def _kind(cells: Sequence[str], comma: bool) -> str:
    """What a column holds: number, clock, word, or nothing."""
    said = [cell for cell in cells if not is_missing(cell)]
    if not said:
        return "nothing" if all(not cell for cell in cells) else "number"
    if sum(is_number(cell, comma) for cell in said) * 2 > len(said):
        return "number"
    clocks = sum(bool(CLOCK.match(cell)) for cell in said)
    return "clock" if clocks * 2 > len(said) else "word"

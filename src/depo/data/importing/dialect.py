"""How a text file is written: separator, decimal comma, header, units, where the rows begin."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from depo.core.errors import DepoError, readable
from depo.data.importing.clock import CLOCK
from depo.data.importing.numbers import NumberFormat, could_be_number, is_missing, number_format
from depo.data.importing.table import Column
from depo.data.importing.units import Unit, parse_unit

LOOKED_AT = 1 << 18
"""Bytes from which all this is told."""
MOST_LINES = 300
SEPARATORS = (";", "\t", ",", "|", " ")
COMMENT = re.compile(r"^\s*(#|%|//)\s*")
NO_ANGLE = re.compile(r"^time$|_t[xyz]$|force|moment|torque|activation|length|_[vp][xyz]$|/speed$")
"""What OpenSim's names say of columns that are in SI units even in a file in degrees."""
MOST_COLUMNS = 10_000
SURE_BLANKS = 0.8
"""The share of numbers from which blanks divide cells, where something else may."""
PER_BLANK = 3
"""Rows to a blank line, if such lines divide anything."""
SURELY = 5
"""Rows of full width, one after the other, that are surely those of the table."""


@dataclass(frozen=True)
class Dialect:
    """A text file's manner; columns are numbered as they stand in the file."""

    encoding: str
    separator: str
    numbers: NumberFormat
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
    line_end: str = "\n"
    has_parts: bool = True
    """Whether blank lines divide anything: not where one follows (nearly) every row, as where line
    ends were written twice."""
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
    if is_wide := _wide_encoding(head):
        return is_wide
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _wide_encoding(head: bytes) -> str:
    """UTF-16 without its mark: every other byte of plain text is 0; empty: it is something else."""
    some = head[: len(head) // 2 * 2]
    if len(some) < 4:
        return ""
    for encoding, zeros, others in (
        ("utf-16-le", some[1::2], some[::2]),
        ("utf-16-be", some[::2], some[1::2]),
    ):
        if zeros.count(0) > 0.8 * len(zeros) and not others.count(0):
            return encoding
    return ""


def sniff(head: bytes, path: Path) -> Dialect:
    """What the first bytes of a file tell; ``path`` is for messages."""
    encoding = text_encoding(head)
    text = head.decode(encoding, errors="replace")
    if "\0" in text:
        raise DepoError(f"{path} is no text: expected CSV, TSV, Parquet, NPZ, HDF5 or a dataset")
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    line_end = "\n"
    if len(lines) == 1 and "\r" in text:  # as old Macintoshes, and spreadsheets there
        lines, line_end = text.removesuffix("\r").split("\r"), "\r"
    if len(head) >= LOOKED_AT:
        lines = lines[:-1]  # which is cut
    lines = lines[:MOST_LINES]
    if not any(line.strip() for line in lines):
        raise DepoError(f"{path} is empty: expected a header and rows of numbers")
    separator, width = _separator(lines)
    cells = [split_line(line, separator) for line in lines]
    numbers = number_format(cells)
    first = _first_row(cells, width, numbers)
    if first is None:
        raise DepoError(
            f"{path} has no row of numbers in its first {len(lines)} lines (line 1 is "
            f"'{readable(lines[0].strip())}'): expected a header and rows of numbers"
        )
    if width > MOST_COLUMNS:
        raise DepoError(f"{path} has {width:,} columns, at most {MOST_COLUMNS:,} are read")
    headers, units, notes = _headers(cells[:first], width)
    data = [row for row in cells[first:] if any(row)]
    kinds = {i: _kind([row[i] for row in data if i < len(row)], numbers) for i in range(width)}
    columns = {i: Column.of(headers[i], units[i]) for i in range(width) if kinds[i] == "number"}
    return Dialect(
        encoding=encoding,
        separator=separator,
        numbers=numbers,
        quoted=any('"' in line for line in lines),
        skip=first,
        columns=_in_degrees(columns) if _says_degrees(lines[:first]) else columns,
        words={i: headers[i] for i in range(width) if kinds[i] == "word"},
        clocks={i: headers[i] for i in range(width) if kinds[i] == "clock"},
        width=width,
        line_end=line_end,
        has_parts=_blanks(lines[first:]) * PER_BLANK <= len(data),
        notes=(*notes, *_said(numbers, columns.values(), lines[:first])),
    )


def _blanks(lines: Sequence[str]) -> int:
    """How many rows come after a blank line."""
    return sum(bool(b.strip()) and not a.strip() for a, b in pairwise(lines))


def _said(numbers: NumberFormat, columns: Iterable[Column], above: Sequence[str]) -> list[str]:
    """What was assumed, as sentences."""
    found = ["decimal commas"] if numbers.decimal == "," else []
    if numbers.thousands:
        found.append(f"'{numbers.thousands}' between thousands")
    if _says_degrees(above):
        found.append(
            "the file says inDegrees=yes: angles are read in degrees, *_tx, *_ty, *_tz are not"
        )
    return found


def _says_degrees(above: Sequence[str]) -> bool:
    """Whether an OpenSim file says that its angles are in degrees."""
    return any(line.replace(" ", "").lower().startswith("indegrees=yes") for line in above)


def _in_degrees(columns: Mapping[int, Column]) -> dict[int, Column]:
    """Columns of such a file, but for translations, forces and what has a unit of its own."""
    return {
        i: column
        if column.unit or NO_ANGLE.search(column.name.lower())
        else replace(column, unit=parse_unit("deg"))
        for i, column in columns.items()
    }


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
        good = sum(could_be_number(c) or is_missing(c) or bool(CLOCK.match(c)) for c in cells)
        own = (often / len(rows)) * good / len(cells)
        if separator == " " and score and own < SURE_BLANKS:
            continue  # words of several parts, between other separators
        if own > score + 1e-9:
            best, score = (separator, width), own
    return best


def _first_row(cells: Sequence[Sequence[str]], width: int, format: NumberFormat) -> int | None:
    """The line where rows begin. Columns may be called by numbers: a first line with a word above
    numbers is a header."""
    lines = iter(_longest_run(cells, width, format))
    first = next(lines, None)
    if first is None or any(len(row) == width and any(row) for row in cells[:first]):
        return first
    below = next(lines, None)
    if below is None:
        return first
    titles = [
        not format.fits(name) and not is_missing(name) and not CLOCK.match(name)
        for name, cell in zip(cells[first], cells[below], strict=False)
        if format.fits(cell)
    ]
    is_header = any(titles) and not any("." in c and format.fits(c) for c in cells[first])
    return below if is_header else first


def _longest_run(cells: Sequence[Sequence[str]], width: int, format: NumberFormat) -> Sequence[int]:
    """The lines of the first few rows that follow each other, of the first that do: what a file
    says of itself above its header may look like a row (``FREQUENCY 50``), and is no table."""
    runs, whole, is_open = [list[int]()], [0], False
    for i, row in enumerate(cells):
        if not any(row):
            continue
        if not _is_data(row, width, format):
            is_open = False
            continue
        if not is_open:
            runs.append([])
            whole.append(0)
        is_open = True
        runs[-1].append(i)
        whole[-1] += len(row) == width
        if whole[-1] >= SURELY:
            break
    return runs[max(range(len(runs)), key=lambda i: (whole[i], -i))] or []


def _is_data(row: Sequence[str], width: int, format: NumberFormat) -> bool:
    """Whether a line is a row: of the right width, with a number, and more numbers than words."""
    if not 0 <= width - len(row) <= width // 2:
        return False
    numbers = sum(format.fits(cell) or bool(CLOCK.match(cell)) for cell in row)
    words = sum(not is_missing(cell) for cell in row) - numbers
    return numbers > 0 and (numbers >= words or numbers > 2)


def _headers(
    above: Sequence[Sequence[str]], width: int
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


def _kind(cells: Sequence[str], format: NumberFormat) -> str:
    """What a column holds: number, clock, word, or nothing."""
    said = [cell for cell in cells if not is_missing(cell)]
    if not said:
        return "nothing" if all(not cell for cell in cells) else "number"
    if sum(format.fits(cell) for cell in said) * 2 > len(said):
        return "number"
    clocks = sum(bool(CLOCK.match(cell)) for cell in said)
    return "clock" if clocks * 2 > len(said) else "word"

"""CSV, TSV and their like, gzipped or not, as loggers write them: read in chunks."""

from __future__ import annotations

import codecs
import gzip
import io
import re
import warnings
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from depo.core.errors import DepoError, readable
from depo.core.limits import EXPANSION, LOOKED_AT, check_size
from depo.data.importing.clock import find_time, seconds_of
from depo.data.importing.dialect import LOOKED_AT as HEAD
from depo.data.importing.dialect import Dialect, sniff, split_line
from depo.data.importing.formats import LOOKED_AT as FIRST
from depo.data.importing.formats import check_is_text
from depo.data.importing.numbers import MISSING, is_missing
from depo.data.importing.report import FileReport
from depo.data.importing.table import Rows, Table

CHUNK = 1 << 23
"""Bytes of text that are parsed at a time."""
LONGEST_LINE = 1 << 20
EXAMPLES = 3
"""Unreadable cells that are named in a report."""
BLANK_LINES = re.compile(rb"\n(?:[ \t]*+\r?+\n)++")
"""Not divided in another way (``++``), for which a hundred megabytes would take gigabytes."""
COMMENTS = re.compile(rb"(?m)^[ \t]*(?:#|%|//).*\n?")


@dataclass(frozen=True)
class TextTable(Table):
    """A text file whose manner was told from its beginning."""

    dialect: Dialect = field(kw_only=True)

    def rows(
        self, wanted: Sequence[str], time: str, episode: str, report: FileReport
    ) -> Iterator[Rows]:
        """Chunk after chunk; what is no number is counted, and the first are named."""
        own = self.dialect
        at = {column.header: i for i, column in own.columns.items()}
        at |= {header: i for i, header in {**own.words, **own.clocks}.items()}
        reader = _Reader(self.path, own, [at[name] for name in wanted], report)
        reader.time = at[time] if time else None
        reader.label = at[episode] if episode else None
        yield from reader.read()


def open_text(path: Path) -> TextTable:
    """Look at the beginning of a file."""
    if not path.stat().st_size:
        raise DepoError(f"{path} is empty: expected a header and rows of numbers")
    try:
        with path.open("rb") as raw, unpacked(raw) as file:
            head = read_whole(file, HEAD)[0]
            if file is not raw:
                _check_expansion(path, raw, file, len(head))
    except OSError as error:
        raise DepoError(f"{path} is not readable (damaged?): {readable(str(error))}") from None
    check_is_text(head[:FIRST], path)
    own = sniff(head, path)
    headers = [column.header for column in own.columns.values()]
    return TextTable(
        path=path,
        columns=tuple(own.columns.values()),
        time=find_time([*own.clocks.values(), *headers]) or _only(own.clocks.values()),
        clocks=tuple(own.clocks.values()),
        others=(*own.words.values(), *own.clocks.values()),
        notes=own.notes,
        dialect=own,
    )


def _only(clocks: Collection[str]) -> str:
    """The one column of dates or times of day, whatever it is called."""
    return next(iter(clocks)) if len(clocks) == 1 else ""


def unpacked(raw: Any) -> Any:
    """The file, or what is in it if it is gzipped."""
    magic = raw.read(2)
    raw.seek(0)
    return gzip.GzipFile(fileobj=raw) if magic == b"\x1f\x8b" else raw


def _check_expansion(path: Path, raw: Any, file: Any, seen: int) -> None:
    """Refuse what is far larger unpacked, before any of it is parsed. A file whose beginning is as
    a recording's is looked at no further."""
    size = max(1, path.stat().st_size)
    while seen <= LOOKED_AT or seen > EXPANSION * raw.tell():
        block, is_cut = read_whole(file, CHUNK)
        seen += len(block)
        if not block or is_cut:
            return
        if seen > LOOKED_AT and seen > EXPANSION * size:
            check_size(seen, f"{path}, unpacked,", size)


def read_whole(file: Any, size: int) -> tuple[bytes, bool]:
    """That many bytes, or those up to where the file ends, or is cut; and whether it is cut."""
    parts, left = list[bytes](), size
    try:
        while left and (part := file.read1(left)):
            parts.append(part)
            left -= len(part)
    except (EOFError, zlib.error):
        return b"".join(parts), True
    return b"".join(parts), False


@dataclass
class _Reader:
    """One pass through a text file."""

    path: Path
    dialect: Dialect
    wanted: list[int]
    report: FileReport
    time: int | None = None
    label: int | None = None
    line: int = 0
    """Lines before the next chunk."""
    examples: int = 0
    last: bytes = b""
    """The end of the chunk before."""
    parts: int = 0
    """Blank lines and headers between the rows so far."""
    is_after_blank: bool = False
    """Whether the last line was blank."""
    has_rows: bool = False
    """Whether there were rows yet."""
    headers: np.ndarray | None = None
    """Which rows of the chunk are the header again."""

    def read(self) -> Iterator[Rows]:
        for lines, share in self._chunks():
            rows = self._parsed(lines, share)
            self.line += lines.count(b"\n")
            if len(rows.values):
                yield rows

    def _chunks(self) -> Iterator[tuple[bytes, float]]:
        """Whole lines after the header, a few megabytes at a time."""
        size = max(1, self.path.stat().st_size)
        with self.path.open("rb") as raw, unpacked(raw) as file:
            rest, seen, skip = b"", 0, self.dialect.skip
            for block in self._blocks(file):
                seen += len(block)
                if seen > LOOKED_AT and seen > EXPANSION * size:
                    check_size(seen, f"{self.path}, unpacked,", size)
                if len(rest) > LONGEST_LINE:
                    raise DepoError(
                        f"{self.path} has a line of more than {LONGEST_LINE:,} bytes after line "
                        f"{self.line}: damaged?"
                    )
                lines, newline, rest = (rest + block).rpartition(b"\n")
                lines += newline
                while skip and lines:
                    lines = lines.partition(b"\n")[2]
                    skip, self.line = skip - 1, self.line + 1
                if lines:
                    self.last = lines[-LONGEST_LINE:]
                    yield lines, min(1.0, raw.tell() / size)
            if rest.strip() and not skip and not self._is_cut(rest):
                yield rest, 1.0

    def _blocks(self, file: Any) -> Iterator[bytes]:
        """Bytes in UTF-8; a packed file that is cut ends where it is cut."""
        decoder = None
        if not self.dialect.encoding.startswith("utf-8"):
            decoder = codecs.getincrementaldecoder(self.dialect.encoding)(errors="replace")
        is_first = True
        while True:
            try:
                block, is_cut = read_whole(file, CHUNK)
            except OSError as error:
                raise DepoError(f"{self.path} cannot be read: {readable(str(error))}") from None
            if is_cut:
                self.report.note("the packed file is cut: its end is missing")
            if not block:
                return
            if is_first:
                block, is_first = block.removeprefix(codecs.BOM_UTF8), False
            block = block if decoder is None else decoder.decode(block).encode()
            yield block if self.dialect.line_end == "\n" else block.replace(b"\r", b"\n")

    def _is_cut(self, rest: bytes) -> bool:
        """Whether the last line, which has no end, lacks cells, or its last cell lacks digits."""
        own = self.dialect
        cells = split_line(rest.decode(errors="replace"), own.separator)
        lines = self.last.decode(errors="replace").splitlines()[-50:]
        before = [split_line(line, own.separator) for line in lines if line.strip()]
        widths = [len(row) for row in before] or [own.width]
        shortest = min((len(row[-1]) for row in before if row), default=0)
        if len(cells) >= min(widths) and len(cells[-1]) >= shortest:
            return False
        self.report.note(f"cut in the middle of line {self.line + 1}: that line was left out")
        return True

    def _parsed(self, lines: bytes, share: float) -> Rows:
        packed = self._without_comments(lines)
        dropped = b"\n\n" in packed or b"\n\r\n" in packed or packed[:1] in b"\r\n"
        begins = self._after_blanks(packed) if dropped and self.dialect.has_parts else None
        packed = BLANK_LINES.sub(b"\n", packed).lstrip(b"\r\n") if dropped else packed
        dropped = len(packed) < len(lines)
        if self.dialect.separator == " ":
            packed = re.sub(rb"(?m)^ | (?=\r?$)", b"", re.sub(rb"[ \t]+", b" ", packed))
        if not packed.strip():
            self.is_after_blank = True
            return Rows(np.zeros((0, len(self.wanted))), None, None, share)
        self._count_cells(packed)
        texts = {i for i in (self.time, self.label) if i is not None and self._holds_words(i)}
        numbers = list(dict.fromkeys([*self.wanted, *self._others()]))
        table = self._table(packed, numbers, texts)
        parsed = {i: table[f"c{i}"] for i in numbers if i not in texts}
        if self.dialect.numbers.thousands or any(c.null_count() for c in parsed.values()):
            # all from one table: a quote too many divides lines otherwise where texts are read
            table = self._table(packed, numbers, set(numbers))
            parsed = self._repaired(table, list(parsed), lines if dropped else packed)
        values = [parsed[i].cast(pl.Float64).fill_null(np.nan).to_numpy() for i in self.wanted]
        time = label = None
        if self.time is not None:
            own = self.time
            time = seconds_of(table[f"c{own}"]) if own in texts else parsed[own].to_numpy()
        if self.label is not None:
            column = table[f"c{self.label}"] if self.label in texts else parsed[self.label]
            label = label_codes(column)
        return Rows(np.stack(values, axis=1), time, label, share, self._part(begins, len(table)))

    def _after_blanks(self, lines: bytes) -> np.ndarray:
        """Which rows come after a blank line."""
        ends = np.cumsum(np.frombuffer(b"\n" + lines, np.uint8) == ord("\n"), dtype=np.int32)
        places, blank, until = list[int](), 0, 0
        for found in BLANK_LINES.finditer(b"\n" + lines):
            blank += int(ends[found.end() - 1] - ends[found.start()])
            places.append(int(ends[found.end() - 1]) - 1 - blank)
            until = found.end()
        rows = int(ends[-1]) - 1 - blank + (not lines.endswith(b"\n"))
        begins = np.zeros(rows + 1, bool)
        begins[places] = True
        begins[0] |= self.is_after_blank
        self.is_after_blank = until == len(lines) + 1
        return begins[:-1]

    def _part(self, begins: np.ndarray | None, rows: int) -> np.ndarray:
        """For each row how many blank lines and repeated headers came before it."""
        own = np.zeros(rows, bool)
        if begins is None:
            own[:1], self.is_after_blank = self.is_after_blank and self.dialect.has_parts, False
        elif begins.any() and (self.has_rows or begins[1:].any()):
            self.report.note("an episode begins after a blank line")
        self.has_rows |= rows > 0
        for each in (begins, self.headers):
            if each is not None and len(each) == rows:
                own |= each
        part = self.parts + np.cumsum(own)
        self.parts, self.headers = int(part[-1]), None
        return part

    def _without_comments(self, lines: bytes) -> bytes:
        """The lines without those that only a person should read."""
        if not any(b"\n" + mark in lines or lines.startswith(mark) for mark in (b"#", b"%", b"//")):
            return lines
        kept, count = COMMENTS.subn(b"", lines)
        if count:
            self.report.note(f"comments after line {self.line:,} are left out")
        return kept

    def _count_cells(self, lines: bytes) -> None:
        """Say if lines have more or fewer cells than the others."""
        own = self.dialect
        between = own.width - 1
        if own.quoted or not between:
            return
        separator = own.separator.encode()
        rows = lines.count(b"\n") + (not lines.endswith(b"\n"))
        if lines.count(separator) == rows * between:
            return
        counts = [line.count(separator) for line in lines.split(b"\n") if line.strip()]
        more, fewer = (sum(n > between for n in counts), sum(n < between for n in counts))
        if more:
            self.report.note(
                f"lines with more than {own.width} cells ({more:,} of those up to line "
                f"{self.line + len(counts):,}): what is too much is left out"
            )
        if fewer:
            self.report.note(
                f"lines with fewer than {own.width} cells ({fewer:,} of those up to line "
                f"{self.line + len(counts):,}): the others are taken for missing"
            )

    def _holds_words(self, column: int) -> bool:
        return column in self.dialect.words or column in self.dialect.clocks

    def _others(self) -> list[int]:
        return [i for i in (self.time, self.label) if i is not None]

    def _table(self, lines: bytes, columns: Sequence[int], texts: set[int]) -> pl.DataFrame:
        """Columns of a chunk as numbers, or as texts; null where a cell is no number."""
        own = self.dialect
        kinds = {i: pl.String if i in texts else pl.Float64 for i in range(own.width)}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what is broken is told in the report
                return pl.read_csv(
                    io.BytesIO(lines),
                    has_header=False,
                    separator=own.separator,
                    columns=sorted(columns),
                    schema={f"c{i}": kind for i, kind in kinds.items()},
                    truncate_ragged_lines=True,
                    ignore_errors=True,
                    quote_char='"' if own.quoted else None,
                    decimal_comma=own.numbers.decimal == "," and own.separator != ",",
                    encoding="utf8-lossy",
                )
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            said = readable(str(error).partition("\n")[0])
            raise DepoError(f"{self.path} cannot be read after line {self.line}: {said}") from None

    def _repaired(
        self, table: pl.DataFrame, columns: Sequence[int], original: bytes
    ) -> dict[int, pl.Series]:
        """Numbers from a table of texts, cell by cell: blanks around numbers are forgiven, decimal
        points beside decimal commas too; the rest is missing, and counted if it is a word."""
        found = {}
        for i in columns:
            text = table[f"c{i}"].str.strip_chars(" \t\r\"'")
            number = self.dialect.numbers.numbers(text)
            wrong = number.is_null() & text.is_not_null()
            wrong &= ~text.str.to_lowercase().is_in(list(MISSING))
            if (count := int(wrong.sum())) and self._is_header(text.filter(wrong), i):
                self.headers = wrong.fill_null(value=False).to_numpy()
            elif count:
                self.report.unreadable += count
                self._name(i, original, count)
            found[i] = number.fill_null(np.nan)
        return found

    def _is_header(self, texts: pl.Series, column: int) -> bool:
        """Whether all that is wrong is the header again, of a logger that was started anew."""
        own = self.dialect.columns.get(column)
        if own is None or not (texts == own.header).all():
            return False
        self.report.note("the header comes again: the logger was started anew")
        return True

    def _name(self, column: int, lines: bytes, count: int) -> None:
        """Say where the first unreadable cells are."""
        if self.examples >= EXAMPLES:
            return
        header = self.dialect.columns[column].header
        for i, line in enumerate(lines.split(b"\n")):
            cells = split_line(line.decode(errors="replace"), self.dialect.separator)
            cell = cells[column] if column < len(cells) else ""
            if cell == header or is_missing(cell) or self.dialect.numbers.fits(cell):
                continue
            more = f" (and {count - 1} more there)" if count > 1 else ""
            self.report.note(
                f"line {self.line + i + 1}, column '{readable(header)}': '{readable(cell)}' is no "
                f"number, taken for missing{more}"
            )
            self.examples += 1
            return


def label_codes(column: pl.Series) -> np.ndarray:
    """A number for each row's label: itself, or a digest of its text."""
    if column.dtype == pl.String:
        column = column.str.strip_chars().fill_null("").hash(0) % (1 << 32)
    return column.cast(pl.Float64, strict=False).fill_nan(None).fill_null(-1.0).to_numpy()

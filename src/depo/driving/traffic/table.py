"""Big tables of tracks, chunk after chunk: text with blanks, CSV, either gzipped, and Parquet."""

from __future__ import annotations

import gzip
import io
import re
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

from depo.core.child import in_child
from depo.core.codec import decode, encode
from depo.core.errors import DepoError, readable
from depo.core.files import check_plain_file
from depo.core.limits import EXPANSION, LOOKED_AT, check_size
from depo.driving.traffic.layout import Layout, layout_for
from depo.driving.traffic.recording import FURTHEST, LARGEST

CHUNK = 1 << 25
"""Bytes of text that are parsed at a time."""
LONGEST_LINE = 1 << 16
"""Bytes of a row, or of the names of columns."""
ROWS = 1 << 19
"""Rows of a Parquet file that are read at a time."""
NUMBER = re.compile(rb"[-+]?(\d++\.?\d*+|\.\d++)([eE][-+]?\d++)?$")
Progress = Callable[[float], None]
"""Is told the share of the file that has been read."""
COLUMNS: dict[str, Any] = {
    "vehicle": pl.Int64,
    "frame": pl.Int64,
    "clock": pl.Int64,
    "recording": pl.String,
    "x": pl.Float64,
    "y": pl.Float64,
    "lane": pl.Int16,
    "length": pl.Float64,
    "width": pl.Float64,
    "kind": pl.Int8,
}
"""What ``read_table`` gives: metres, in the file's own origin and direction."""


def read_table(
    path: Path, layout: Layout | None, progress: Progress
) -> tuple[pl.DataFrame, Layout]:
    """All rows in the columns of ``COLUMNS`` (a role that the file lacks has none), and the layout.

    What is no number becomes null. Only the columns that are needed are ever kept. Parquet is
    parsed by a process of its own, with limits on memory and time.
    """
    if path.is_dir():
        raise DepoError(f"{path} is a folder: give the file itself")
    check_plain_file(path, "a table")
    if not _is_parquet(path):
        return parse_table(path, layout, progress)
    arguments = {
        "path": str(path.absolute()),
        "what": str(path),
        "layout": None if layout is None else encode(layout),
    }
    size = path.stat().st_size
    with in_child(f"{__name__}:convert_parquet", arguments, str(path), size) as (out, own):
        rows = pl.read_ipc(io.BytesIO(out.read_bytes()))  # the file is about to go
    progress(1.0)
    return rows, decode(Layout, own, str(path))


def convert_parquet(path: str, what: str, layout: Any, out: str) -> Any:
    """Write a Parquet file's rows as Arrow, and return its layout; what the child does."""
    known = None if layout is None else decode(Layout, layout, what)
    rows, used = parse_table(Path(path), known, lambda share: None)
    rows.write_ipc(out)
    return encode(used)


def parse_table(
    path: Path, layout: Layout | None, progress: Progress
) -> tuple[pl.DataFrame, Layout]:
    """The same, parsed here."""
    names = _column_names(path, layout)
    layout = layout or layout_for(names, path)
    found = {name.lower(): name for name in names}
    wanted = [*layout.columns.values(), *layout.where]
    for column in wanted:
        if column.lower() not in found:
            raise DepoError(
                f"{path} has no column '{column}', which layout '{layout.name}' needs "
                f"(columns: {readable(', '.join(names[:30]))})"
            )
    chunks = _parquet_chunks if _is_parquet(path) else _text_chunks
    parts, size = [], 0.0
    try:
        for chunk in chunks(path, layout, names, [found[c.lower()] for c in wanted], progress):
            parts.append(_numbers(chunk, layout, found))
            size += parts[-1].estimated_size()
            check_size(round(size), f"{path}, read into a table,")
    except (OSError, EOFError, zlib.error) as error:
        raise DepoError(f"{path} cannot be read to its end (cut short?): {error}") from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        said = readable(str(error).partition("\n")[0])
        raise DepoError(f"{path} cannot be read: {said}") from None
    rows = pl.concat(parts, rechunk=True) if parts else pl.DataFrame(schema=_schema(layout))
    if layout.text_ids:
        rows = rows.with_columns(pl.col("vehicle").rank("dense").cast(pl.Int64))
    return rows, layout


def _schema(layout: Layout) -> dict[str, Any]:
    roles = ["frame" if role == "time" else role for role in layout.columns]
    names: dict[str, Any] = {"vehicle": pl.String} if layout.text_ids else {}
    return {role: kind for role, kind in (COLUMNS | names).items() if role in roles}


def _numbers(chunk: pl.DataFrame, layout: Layout, found: dict[str, str]) -> pl.DataFrame:
    """A chunk in our columns and metres."""
    for column, value in layout.where.items():
        held = pl.col(found[column.lower()]).cast(pl.String).str.strip_chars()
        chunk = chunk.filter(held.str.to_lowercase() == value.lower())
    columns = []
    for role, column in layout.columns.items():
        values = pl.col(found[column.lower()])
        if role == "recording" or (role == "vehicle" and layout.text_ids):
            text = values.cast(pl.String).str.strip_chars()
            columns.append(pl.when(text != "").then(text).alias(role))
            continue
        if chunk.schema[found[column.lower()]] == pl.String:
            values = values.str.replace_all(",", "").str.strip_chars()
        values = values.cast(pl.Float64, strict=False)
        values = pl.when(values.is_finite()).then(values)
        if role in ("x", "y"):
            values = pl.when(values.abs() <= FURTHEST).then(values)
        if role in ("x", "y", "length", "width"):
            values = values * layout.metres
        elif role == "time":
            role, values = "frame", values / layout.time_step
        if role in ("vehicle", "frame", "clock"):
            values = pl.when(values.abs() <= LARGEST).then(values)
        kind = COLUMNS[role]
        if kind.is_integer():
            values = values.round()
        columns.append(values.cast(kind, strict=False).alias(role))
    return chunk.select(columns).select(list(_schema(layout)))


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def _scanned(path: Path) -> pl.LazyFrame:
    """This file alone, though its name may be a pattern that fits others."""
    return pl.scan_parquet(path, glob=False)


def _parquet_chunks(
    path: Path, layout: Layout, names: tuple[str, ...], wanted: list[str], progress: Progress
) -> Iterator[pl.DataFrame]:
    table = _scanned(path).select(list(dict.fromkeys(wanted)))
    total = int(table.select(pl.len()).collect().item())
    for start in range(0, total, ROWS):
        yield table.slice(start, ROWS).collect()
        progress(min(1.0, (start + ROWS) / total))


def _text_chunks(
    path: Path, layout: Layout, names: tuple[str, ...], wanted: list[str], progress: Progress
) -> Iterator[pl.DataFrame]:
    size, seen = max(1, path.stat().st_size), 0
    with path.open("rb") as raw, _opened(raw) as file:
        if layout.header:
            file.readline(LONGEST_LINE)
        rest = b""
        while block := file.read(CHUNK):
            seen += len(block)
            if seen > LOOKED_AT and seen > EXPANSION * size:
                check_size(seen, f"{path}, unpacked,", size)
            if len(rest) > LONGEST_LINE:
                raise DepoError(f"{path} has a line of more than {LONGEST_LINE:,} bytes: damaged?")
            lines, newline, rest = (rest + block).rpartition(b"\n")
            if newline:
                yield _parsed(lines, layout, names, wanted)
            progress(min(1.0, raw.tell() / size))
        if rest.strip():
            yield _parsed(rest, layout, names, wanted)


def _parsed(
    lines: bytes, layout: Layout, names: tuple[str, ...], wanted: list[str]
) -> pl.DataFrame:
    blanks = layout.separator == " "
    if blanks:
        lines = _single_blanks(lines)
    if not lines.strip():
        return pl.DataFrame(schema=dict.fromkeys(wanted, pl.String))
    head = (" " if blanks else layout.separator).join(names).encode() + b"\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # broken rows are counted, and told of in the report
        return pl.read_csv(
            io.BytesIO(head + lines),
            separator=layout.separator,
            columns=list(dict.fromkeys(wanted)),
            infer_schema=False,
            truncate_ragged_lines=True,
            ignore_errors=True,
            quote_char=None if blanks else '"',
            encoding="utf8-lossy",
        )


def _single_blanks(lines: bytes) -> bytes:
    lines = lines.translate(bytes.maketrans(b"\t\r", b"  "))
    while b"  " in lines:
        lines = lines.replace(b"  ", b" ")
    return lines.replace(b"\n ", b"\n").replace(b" \n", b"\n").strip(b" ")


def _opened(raw: Any) -> Any:
    magic = raw.read(2)
    raw.seek(0)
    return gzip.GzipFile(fileobj=raw) if magic == b"\x1f\x8b" else raw


def _column_names(path: Path, layout: Layout | None) -> tuple[str, ...]:
    """What the header says, or 1, 2, 3, … where the first line is all numbers."""
    if _is_parquet(path):
        try:
            return tuple(_scanned(path).collect_schema())
        except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            said = readable(str(error))
            raise DepoError(f"{path} is not a readable Parquet file: {said}") from None
    try:
        with path.open("rb") as raw, _opened(raw) as file:
            line = file.readline(LONGEST_LINE).strip()
    except (OSError, EOFError, zlib.error) as error:
        raise DepoError(f"{path} is not readable (damaged?): {error}") from None
    if not line:
        raise DepoError(f"{path} is empty: expected rows of vehicle positions")
    if b"\0" in line:
        raise DepoError(f"{path} is no text: expected a table (CSV, blanks, gzip or Parquet)")
    words = line.split()
    plain = all(NUMBER.match(word) for word in words)
    if plain and (layout is None or not layout.header):
        return tuple(str(i + 1) for i in range(len(words)))
    separator = "," if layout is None else layout.separator
    text = line.decode("utf-8-sig", errors="replace")
    cells = text.split() if separator == " " else text.split(separator)
    if layout is not None and not layout.header:
        return tuple(str(i + 1) for i in range(len(cells)))
    return tuple(cell.strip().strip('"') for cell in cells)

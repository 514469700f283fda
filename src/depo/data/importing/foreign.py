"""Parquet, HDF5 and Minari: described and converted by a child with limits, many files at a time.

The child writes rows of plain float64 (the columns asked for, then time, then label), which are
read here in chunks: a damaged file costs a sentence, and a thousand small files not a thousand
children.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from depo.core.child import in_child
from depo.core.errors import DepoError, readable
from depo.core.files import size_of
from depo.core.limits import check_size, read_limit
from depo.data.importing import hdf5, minari_rows, parquet
from depo.data.importing.clock import find_time
from depo.data.importing.report import FileReport
from depo.data.importing.table import Column, Rows, Table, raw_rows, with_label
from depo.data.importing.units import parse_unit

FORMATS = {"parquet": parquet, "hdf5": hdf5, "minari": minari_rows}
TOGETHER = 1 << 26
"""Bytes of files that are converted by one child."""


@dataclass
class Batch:
    """Files of one format; what was converted is kept until other files are needed."""

    format: str
    paths: list[Path]
    _stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    _asked: Any = None
    _where: dict[int, tuple[Path, int, int]] = field(default_factory=dict)
    """Of each converted file: the child's file, its first row there and its rows."""

    def describe(self) -> list[Mapping[str, Any]]:
        """What each file holds, or what is wrong with it."""
        size = sum(map(size_of, self.paths))
        arguments = {"format": self.format, "paths": [str(p.absolute()) for p in self.paths]}
        what = str(self.paths[0])
        with in_child(f"{__name__}:describe", {**arguments, "what": what}, what, size) as (_, said):
            return list(said)

    def rows(self, number: int, wanted: Sequence[str], time: str, label: str) -> Iterator[Rows]:
        """Rows of a file; those after it are converted with it."""
        asked = [list(wanted), time, label]
        if asked != self._asked or number not in self._where:
            self.close()
            self._convert(number, asked)
        raw, start, count = self._where[number]
        width = len(wanted) + bool(time) + bool(label)
        return raw_rows(raw, start, count, width, len(wanted), bool(time), bool(label))

    def _convert(self, first: int, asked: list[Any]) -> None:
        size, last = 0, first
        while last < len(self.paths) and (last == first or size < TOGETHER):
            size += size_of(self.paths[last])
            last += 1
        own = self.paths[first:last]
        arguments = {
            "format": self.format,
            "paths": [str(path.absolute()) for path in own],
            "what": str(own[0]),
            "asked": asked,
        }
        child = in_child(f"{__name__}:convert", arguments, str(own[0]), size)
        out, counts = self._stack.enter_context(child)
        start = 0
        for number, count in enumerate(counts, first):
            self._where[number] = (out, start, count)
            start += count
        self._asked = asked

    def close(self) -> None:
        """Let the converted files go."""
        self._stack.close()
        self._where, self._asked = {}, None


@dataclass(frozen=True)
class ForeignTable(Table):
    """A file that a child reads."""

    batch: Batch = field(kw_only=True)
    number: int = 0
    labels: str = ""
    """What the child takes for episodes where the user names none."""

    @property
    def tells_episodes(self) -> bool:
        """Whether the child knows where episodes begin."""
        return bool(self.labels)

    def rows(
        self, wanted: Sequence[str], time: str, episode: str, report: FileReport
    ) -> Iterator[Rows]:
        """Converted by a child, then read in chunks."""
        try:
            for rows in self.batch.rows(self.number, wanted, time, episode or self.labels):
                yield from with_label(rows, report)
        except DepoError as error:
            said = str(error)
            raise DepoError(said if str(self.path) in said else f"{self.path}: {said}") from None

    def close(self) -> None:
        """The child's file goes."""
        self.batch.close()


def open_foreign(format: str, paths: Sequence[Path]) -> list[ForeignTable | DepoError]:
    """Tables of some files, or what is wrong with each."""
    batch, found = Batch(format, list(paths)), list[ForeignTable | DepoError]()
    for number, (path, said) in enumerate(zip(paths, batch.describe(), strict=True)):
        if "error" in said:
            found.append(DepoError(str(said["error"])))
            continue
        units = said.get("units", {})
        columns = [_column(header, units.get(header, "")) for header in said["columns"]]
        given = said.get("names", {})
        columns = [replace(c, name=given.get(c.header, c.name)) for c in columns]
        found.append(
            ForeignTable(
                path=path,
                columns=tuple(columns),
                state=tuple(said.get("state", ())),
                time=find_time(said["columns"]) or next(iter(units), ""),
                others=tuple(said.get("words", ())),
                hz=said.get("hz"),
                are_steps=said.get("are_steps", False),
                is_finite=said.get("is_finite", False),
                environment=said.get("environment", ""),
                notes=tuple(said.get("notes", ())),
                batch=batch,
                number=number,
                labels=said.get("labels", ""),
            )
        )
    return found


def _column(header: str, unit: str) -> Column:
    return Column.of(header, parse_unit(unit) if unit else None)


def describe(format: str, paths: Sequence[str], what: str, out: str) -> list[Mapping[str, Any]]:
    """What each file holds; what the child does."""
    del what, out
    found: list[Mapping[str, Any]] = []
    for path in paths:
        try:
            found.append(FORMATS[format].describe(Path(path)))
        except DepoError as error:
            found.append({"error": str(error)})
        except MemoryError:
            raise
        except BaseException as error:  # a parser's own kinds, and panics that are no Exception
            said = readable(f"{type(error).__name__}: {error}")
            found.append({"error": f"{path} cannot be read: {said}"})
    return found


def convert(format: str, paths: Sequence[str], what: str, asked: Any, out: str) -> list[int]:
    """Write all rows of the files as float64, one file after the other; what the child does."""
    del what
    wanted, time, label = asked
    counts = []
    with Path(out).open("wb") as file:
        for path in map(Path, paths):
            rows = 0
            try:
                for block in FORMATS[format].blocks(path, wanted, time, label):
                    size = 8 * (rows + len(block)) * block.shape[1]
                    # the rows go to a file: what counts is whether they were ever recorded
                    check_size(min(size, read_limit()), str(path), size_of(path))
                    file.write(block.tobytes())
                    rows += len(block)
            except (DepoError, MemoryError):
                raise
            except BaseException as error:
                said = readable(f"{type(error).__name__}: {error}")
                raise DepoError(f"{path} cannot be read after row {rows}: {said}") from None
            counts.append(rows)
    return counts

"""A run's tables of numbers, as CSV: rows are added, and what a checkpoint knows stays."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from depo.core.errors import DepoError, readable
from depo.core.files import file_digest, read_text
from depo.core.folders import open_plain
from depo.core.limits import check_size, read_limit

CSV_EXPANDS = 16
"""Times the bytes of a table that its rows take in memory, unless they are very short."""
ROW, CELL = 500, 120
"""Bytes that a row takes, and each number in it, as text and then as numbers."""


def longest_table() -> int:
    """Bytes of a table whose rows may be read."""
    return read_limit() // CSV_EXPANDS


def is_as_left(metrics: Path, size: int, digest: str) -> bool:
    """Whether a file still begins with what a checkpoint knows of it."""
    if not size:
        return True
    if not metrics.is_file() or metrics.stat().st_size < size or size > longest_table():
        return False
    with metrics.open("rb") as file:
        file.seek(size - 1)
        whole_line = file.read(1) == b"\n"
    return whole_line and digest in ("", file_digest(metrics, size))


def read_numbers(path: Path) -> list[dict[str, float]]:
    """The rows of a table of numbers; one that is still being written is left out."""
    if not path.exists():
        return []
    text = read_text(path, "CSV", longest_table())
    lines = text.count("\n")
    check_size(lines * ROW + (lines + text.count(",")) * CELL, f"{path}, read into a table,")
    try:
        rows = [row for row in csv.DictReader(io.StringIO(text)) if None not in row.values()]
        return [{name: float(value) for name, value in row.items()} for row in rows]
    except (TypeError, ValueError, csv.Error) as error:
        raise DepoError(f"{path} is damaged: {readable(str(error))}") from None


def read_metrics(path: Path, seeds: Sequence[int], most: int) -> list[dict[str, float]]:
    """The rows of metrics.csv, which are of these seeds and of no more steps."""
    found = read_numbers(path)
    if found and not {"seed", "env_steps"} <= set(found[0]):
        raise DepoError(f"{path} is damaged: its first line names no seed or env_steps")
    for row in found:
        if row["seed"] not in seeds:
            raise DepoError(f"{path} is damaged: seed {row['seed']:g} is none of {list(seeds)}")
        if not 0 <= row["env_steps"] <= most:
            raise DepoError(f"{path} is damaged: {row['env_steps']:g} of {most:,} steps")
    return found


def append_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    """Append rows in the order of the header, which a new file gets, and make sure they are on the
    disk."""
    new = not path.exists() or path.stat().st_size == 0
    names = list(rows[0]) if new else _header(path)
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=names, lineterminator="\n")
    if new:
        writer.writeheader()
    writer.writerows(rows)
    try:
        with open_plain(path, "a") as file:
            file.write(text.getvalue())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise DepoError(
            f"cannot write {path}: {error.strerror}; the last checkpoint is whole"
        ) from None


def _header(path: Path) -> list[str]:
    with open_plain(path, "r") as file:
        return next(csv.reader(file))

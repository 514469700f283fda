"""Tables, progress bars and JSON: progress goes to stderr, results to stdout."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from depo.core.errors import printable
from depo.core.metrics import find_metric
from depo.core.terminal import PlainConsole, stderr, stdout
from depo.runs.progress import progress_bar, score_text

__all__ = [
    "cell",
    "print_json",
    "print_rows",
    "print_table",
    "print_wide_table",
    "progress_bar",
    "score_cell",
    "score_text",
    "stderr",
    "stdout",
]

UNBOUNDED = 100_000
"""Wider than any table."""


def score_cell(name: str, value: Any) -> str:
    """A metric's value as a table shows it, with the digits that mean something."""
    return find_metric(name).text(value) if isinstance(value, float) else cell(value)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A table for people."""
    stdout.print(_table(title, columns, rows))


def print_wide_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> bool:
    """A table with one line for each row, if the terminal is wide enough; whether it is. What is
    no terminal always is: a file or a pipe takes lines of any length."""
    table = _table(title, columns, rows)
    needed = stdout.measure(table, options=stdout.options.update(width=UNBOUNDED)).maximum
    if needed <= stdout.width:
        stdout.print(table)
    elif not stdout.is_terminal:
        PlainConsole(file=stdout.file, width=needed).print(table)
    else:
        return False
    return True


def print_rows(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A table with one line for each row; where the terminal is too narrow for that, what its first
    column says and, below, the others."""
    if print_wide_table(title, columns, rows):
        return
    stdout.print(printable(title), soft_wrap=True, style="bold")
    for first, *others in rows:
        said = ", ".join(
            f"{name} {cell(value)}"
            for name, value in zip(columns[1:], others, strict=True)
            if value is not None
        )
        stdout.print(cell(first), soft_wrap=True)
        stdout.print(Padding(printable(said), (0, 0, 0, 2)))


def _table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    table = Table(title=printable(title), title_justify="left", header_style="bold")
    for column in columns:
        table.add_column(printable(column), overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell(value)) for value in row))
    return table


def print_json(value: Any) -> None:
    """One JSON document on stdout; infinities as null."""
    print(json.dumps(_finite(value), indent=2))


def cell(value: Any) -> str:
    """A value as a table shows it."""
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, float):
        return "–" if math.isnan(value) else f"{value:.4g}"
    return "–" if value is None else printable(str(value))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(x) for name, x in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(x) for x in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

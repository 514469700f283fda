"""Tables, progress bars and JSON: progress goes to stderr, results to stdout."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

stdout = Console(markup=False, highlight=False)  # paths may hold brackets
stderr = Console(stderr=True, markup=False, highlight=False)
SHOWN = (
    "success",
    "success_greedy",
    "return",
    "return_relative",
    "return_kept",
    "reach_error",
    "reach_error_relative",
    "divergence",
    "legal_moving_undemonstrated",
)


class Rate(ProgressColumn):
    """Environment steps in a second."""

    def render(self, task: Task) -> Text:
        """Like '1,234 steps/s'."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f} steps/s" if speed else "estimating…", style="dim")


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar with rate and time left, on stderr."""
    with Progress(
        TextColumn("{task.description:20}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f}"),
        Rate(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[score]}"),
        console=stderr,
        speed_estimate_period=3_600,  # reports may be minutes apart
    ) as progress:
        yield progress


def score_text(rows: Sequence[dict[str, float]]) -> str:
    """The score to watch: success or return, the mean over seeds."""
    for name in ("success", "return"):
        if rows and name in rows[0]:
            return f"{name} {sum(row[name] for row in rows) / len(rows):.3g}"
    return ""


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A table for people."""
    table = Table(title=title, title_justify="left", header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell(value)) for value in row))
    stdout.print(table)


def print_json(value: Any) -> None:
    """One JSON document on stdout; infinities as null."""
    print(json.dumps(_finite(value), indent=2))


def cell(value: Any) -> str:
    """A value as a table shows it."""
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, float):
        return "–" if math.isnan(value) else f"{value:.4g}"
    return "–" if value is None else str(value)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(x) for name, x in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(x) for x in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

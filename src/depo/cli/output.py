"""Tables, progress bars and JSON: progress goes to stderr, results to stdout."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from depo.core.errors import printable, shortened
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


def score_cell(name: str, value: Any) -> str:
    """A metric's value as a table shows it, with the digits that mean something."""
    return find_metric(name).text(value) if isinstance(value, float) else cell(value)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A table for people. Cells are wrapped between words; where the terminal is too narrow for
    that, each row is a list, and a file or a pipe takes longer lines."""
    texts = _texts(columns, rows)
    least = [max(map(_longest_word, column)) for column in zip(*texts, strict=True)]
    if _width(least) <= stdout.width:
        stdout.print(_table(title, texts, _fitted(texts, least)))
    elif not stdout.is_terminal:
        _print_beyond(title, texts, least)
    elif len(columns) > 2:
        _print_lists(title, columns, rows)
    else:
        stdout.print(_table(title, texts))


def print_wide_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> bool:
    """A table with one line for each row, if the terminal is wide enough; whether it is. What is
    no terminal always is: a file or a pipe takes lines of any length."""
    texts = _texts(columns, rows)
    most = [max(map(cell_len, column)) for column in zip(*texts, strict=True)]
    if _width(most) > stdout.width and stdout.is_terminal:
        return False
    _print_beyond(title, texts, most)
    return True


def print_rows(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A table with one line for each row; where the terminal is too narrow for that, lists."""
    if not print_wide_table(title, columns, rows):
        _print_lists(title, columns, rows)


def _print_lists(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """What the first column says and, below it, the others."""
    if title:
        stdout.print(printable(title), soft_wrap=True, style="bold")
    for first, *others in rows:
        said = ", ".join(
            f"{name} {cell(value)}"
            for name, value in zip(columns[1:], others, strict=True)
            if value not in (None, "")
        )
        stdout.print(cell(first), soft_wrap=True)
        stdout.print(Padding(printable(said), (0, 0, 0, 2)))


def _print_beyond(title: str, texts: Sequence[Sequence[str]], widths: Sequence[int]) -> None:
    """A table that may be wider than the console."""
    console = stdout
    if _width(widths) > stdout.width:
        console = PlainConsole(file=stdout.file, width=_width(widths))
    console.print(_table(title, texts, widths))


def _texts(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[list[str]]:
    """A table's head and its rows, as they are shown."""
    return [[shortened(name) for name in columns], *([cell(x) for x in row] for row in rows)]


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)


def _width(columns: Sequence[int]) -> int:
    """A table's, with its lines and the blanks beside them."""
    return sum(columns) + 3 * len(columns) + 1


def _fitted(texts: Sequence[Sequence[str]], least: Sequence[int]) -> list[int]:
    """Widths of columns that share the terminal's: all have their longest word, and what needs
    little more than that has it first."""
    widths, room = list(least), stdout.width - _width(least)
    wanted = [max(map(cell_len, column)) for column in zip(*texts, strict=True)]
    order = sorted(range(len(widths)), key=lambda i: wanted[i] - least[i])
    for left, i in zip(range(len(order), 0, -1), order, strict=True):
        more = min(wanted[i] - least[i], room // left)
        widths[i], room = widths[i] + more, room - more
    return widths


def _table(
    title: str, texts: Sequence[Sequence[str]], widths: Sequence[int | None] | None = None
) -> Table:
    head, *rows = texts
    table = Table(title=printable(title), title_justify="left", header_style="bold")
    for name, width in zip(head, widths or [None] * len(head), strict=True):
        table.add_column(name, overflow="fold", width=width)
    for row in rows:
        table.add_row(*map(Text, row))
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
    return "–" if value is None else shortened(str(value))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(x) for name, x in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(x) for x in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

"""A run's progress in the terminal, as a callback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

from depo.core.metrics import main_metric
from depo.core.terminal import stderr
from depo.runs.callbacks import Callback, Evaluation

if TYPE_CHECKING:
    from depo.runs.run import Run


WIDE = 80
"""Columns of a terminal that shows all there is."""


class Rate(ProgressColumn):
    """Environment steps in a second."""

    def render(self, task: Task) -> Text:
        """Like '1,234 steps/s'."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f} steps/s" if speed else "estimating…", style="dim")


def progress_bar() -> Progress:
    """A bar with rate and time left, on stderr; where that is narrow, steps and score alone."""
    is_wide, one_line = stderr.width >= WIDE, Column(no_wrap=True)
    bar = (BarColumn(),) if is_wide else ()
    pace = (Rate(one_line), TimeRemainingColumn(table_column=one_line)) if is_wide else ()
    return Progress(
        TextColumn("{task.description:20}" if is_wide else "{task.description}", markup=False),
        *bar,
        TextColumn("{task.completed:,.0f}/{task.total:,.0f}"),
        *pace,
        TextColumn("{task.fields[score]}", markup=False),
        console=stderr,
        speed_estimate_period=3_600,  # reports may be minutes apart
    )


def score_text(rows: Sequence[Mapping[str, float]]) -> str:
    """The score to watch, the mean over seeds.

    >>> score_text([{"success": 0.5}, {"success": 1.0}])
    'success rate 0.750'
    """
    score = main_metric(rows[0]) if rows else None
    if score is None:
        return ""
    mean = sum(row[score.name] for row in rows) / len(rows)
    return f"{score.label} {score.text(mean)}"


class ProgressBar(Callback):
    """Shows how far a run is, how fast, and its score."""

    def __init__(self) -> None:
        self._bar = progress_bar()
        self._task: TaskID | None = None

    def on_start(self, run: Run) -> None:
        """Show the bar; of no steps there is none, only the score."""
        done, total = run.steps_done(), run.job.total_steps
        if not total:
            said = ("{task.description}, no steps: one evaluation", "{task.fields[score]}")
            self._bar.columns = tuple(TextColumn(text, markup=False) for text in said)
        self._task = self._bar.add_task(run.job.method, total=total, completed=done, score="")
        self._bar.start()

    def on_evaluation(self, evaluation: Evaluation) -> None:
        """Move it."""
        assert self._task is not None
        score = score_text(evaluation.rows)
        self._bar.update(self._task, completed=evaluation.steps, score=score)

    def on_end(self, run: Run) -> None:
        """Leave it as it is."""
        self._bar.stop()

    def say(self, text: str) -> None:
        """A line above the bar."""
        self._bar.console.print(text)


def is_watched() -> bool:
    """Whether somebody sees a bar: stderr is a terminal, or this is a notebook."""
    return stderr.is_terminal or Console().is_jupyter

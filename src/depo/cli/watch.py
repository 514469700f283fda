"""``depo watch RUN``."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np
import tyro

from depo.cli.flags import parse
from depo.cli.output import stdout
from depo.core.errors import DepoError, printable, unknown
from depo.core.metrics import find_metric, number_text

if TYPE_CHECKING:
    from depo.analysis.yardstick import Yardstick
    from depo.runs.run import Run

BESIDE = ("return_relative", "reach_error_relative")
"""What a line also says, where a run has it."""
LEAST_WIDTH, MOST_WIDTH = 40, 120


@dataclass(frozen=True)
class Watch:
    """Follow a run's curve in the terminal, until it is finished or stopped; Ctrl-C leaves.

    Into a file or a pipe it writes one line for each evaluation.
    """

    run: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """The run's folder."""
    metric: str = ""
    """What to draw, a column of metrics.csv; empty: success or return."""
    every: float = 2.0
    """Seconds between two looks."""
    once: bool = False
    """Show what there is now and leave."""


def run(argv: list[str]) -> int:
    """Watch."""
    flags = parse(Watch, argv, "depo watch")
    if not 0.1 <= flags.every <= 3_600:
        raise DepoError(f"--every {flags.every:g} is not between 0.1 and 3600 seconds")
    from depo.analysis.yardstick import yardstick_of
    from depo.runs.run import Run

    found = Run.open(flags.run)
    if stdout.is_terminal:
        _show(found, flags, yardstick_of(found, measure=False))
    else:
        _print_lines(found, flags)
    return 0


def looks(run: Run, every: float, once: bool) -> Iterator[str]:
    """The run's status, now and again, until nothing more comes."""
    while True:
        status = run.status()
        yield status
        if once or status != "running":
            return
        time.sleep(every)


def _print_lines(run: Run, flags: Watch) -> None:
    """One line for each evaluation that was not told yet."""
    told, status = 0, ""
    for status in looks(run, flags.every, flags.once):  # noqa: B007  the last one is told
        lines = evaluation_lines(run, _metric(run, flags.metric))
        for line in lines[told:]:
            print(line, flush=True)
        told = max(told, len(lines))
    if not flags.once:
        print(", ".join(filter(None, [status, printable(run.stop_reason())])), flush=True)


def evaluation_lines(run: Run, metric: str) -> list[str]:
    """Steps, score and its range over seeds, of every evaluation that is complete."""
    from depo.analysis.curves import curve

    steps, values = curve(run, metric)
    known = find_metric(metric)
    total = run.job.blocks * run.job.steps_per_block
    rows = run.metrics()
    beside = [
        (find_metric(name).label, curve(run, name)[1])
        for name in BESIDE
        if rows and name in rows[0]
    ]
    lines = []
    for i, step in enumerate(steps):
        row = values[i]
        with np.errstate(over="ignore"):  # the mean of what has no sum is infinite
            mean = known.text(row.mean())
        around = f" ({known.text(row.min())} to {known.text(row.max())})" if len(row) > 1 else ""
        said = [
            f"{step:,.0f} of {total:,} steps",
            f"{known.label} {mean}{around}",
        ]
        said += [f"{label} {number_text(float(own[i].mean()))}" for label, own in beside]
        lines.append(printable(", ".join(said)))
    return lines


def _show(run: Run, flags: Watch, yardstick: Yardstick) -> None:
    """A chart that is drawn anew after every look."""
    from rich.live import Live
    from rich.text import Text

    with Live(console=stdout, auto_refresh=False, transient=False) as live:
        for status in looks(run, flags.every, flags.once):
            lines = chart_lines(run, status, flags.metric, yardstick, stdout.width, stdout.height)
            live.update(Text("\n".join(lines), no_wrap=True, overflow="crop"), refresh=True)


def chart_lines(
    run: Run, status: str, metric: str, yardstick: Yardstick, width: int, height: int
) -> list[str]:
    """What the terminal shows: a heading, the chart, and the last evaluation."""
    from depo.analysis.curves import band, curve
    from depo.analysis.terminal_curves import curve_text

    job = run.job
    width = min(max(width, LEAST_WIDTH), MOST_WIDTH)
    seeds = f", {len(job.seeds)} seeds" if len(job.seeds) > 1 else ""
    name = _metric(run, metric)
    heading = f"{run.path.name}: {job.method} on {job.environment.label}{seeds}, {status}"
    steps, values = curve(run, name)
    if not len(steps):
        return [printable(heading)[:width], "no evaluation yet"]
    middle, low, high, said = band(values)
    ends = {"expert": yardstick.expert.get(name), "random": yardstick.random.get(name)}
    chart = curve_text(
        steps,
        [middle] if values.shape[1] == 1 else [middle, low, high],
        until=max(job.blocks * job.steps_per_block, steps[-1], 1),
        width=width,
        height=min(16, max(5, height - 6)),
        lines={end: value for end, value in ends.items() if value is not None},
    )
    title = f"{find_metric(name).title}: {said}"
    shown = [printable(heading), title, *chart, *_wrapped(evaluation_lines(run, name)[-1], width)]
    return [line[:width] for line in shown]


def _wrapped(line: str, width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(line, width)


def _metric(run: Run, asked: str) -> str:
    from depo.analysis.yardstick import known_score

    rows = run.metrics()
    if asked and rows and asked not in rows[0]:
        raise unknown("metric of this run", asked, [name for name in rows[0] if name != "seed"])
    return asked or known_score(rows)

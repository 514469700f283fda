"""What ``peers.py`` makes of its workers' answers: curves, the table of ratios, CSV and figure."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from depo.core.files import write_bytes

SHARES = (50, 80, 90)
FIELDS = ("task", "contender", "seed", "seconds", "env_steps", "return")


class Point(NamedTuple):
    """One evaluation."""

    seconds: float
    env_steps: int
    score: float


Curves = Mapping[str, Sequence[Sequence[Point]]]
"""By contender, then by seed."""


def parse(text: str) -> list[Point]:
    """What a worker wrote; lines that are no JSON object are somebody's log.

    >>> parse('hello\\n{"seconds": 1.5, "env_steps": 10, "return": 2.0}\\n')
    [Point(seconds=1.5, env_steps=10, score=2.0)]
    """
    points = []
    for line in text.splitlines():
        if line.startswith('{"seconds"'):
            row = json.loads(line)
            points.append(Point(row["seconds"], row["env_steps"], row["return"]))
    return points


def seconds_to(points: Sequence[Point], aim: float) -> tuple[float, float]:
    """Seconds and environment steps until the first evaluation with that return.

    >>> seconds_to([Point(1.0, 10, 2.0), Point(2.0, 20, 5.0)], 4.0)
    (2.0, 20)
    """
    reached = ((p.seconds, p.env_steps) for p in points if p.score >= aim)
    return next(reached, (float("inf"), float("inf")))


def table(
    curves: Curves,
    expert: float,
    about: Mapping[str, tuple[str, str]],
    failed: Mapping[str, str],
    base: str = "depo: depo",
) -> str:
    """Median seconds and steps over seeds to shares of the expert's return, and how many times
    ``base``'s seconds those are. ``about`` has every contender's version and what it learns from,
    ``failed`` says who has no curve, and why."""
    medians = {name: _medians(seeds, expert) for name, seeds in curves.items()}
    heads = [f"{what} to {share}%" for share in SHARES for what in ("seconds", "steps", "ratio")]
    head = ["contender", "version", "learns from", "seeds", "best return, median", *heads]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for name, (of, shown) in about.items():
        if name not in curves:
            why = failed.get(name, "not run")
            lines.append(f"| {name} | {of} | {shown} | – | {why} |" + " – |" * len(heads))
            continue
        best = np.median([max(p.score for p in points) for points in curves[name]])
        cells = [name, of, shown, str(len(curves[name])), f"{best:,.0f}"]
        for share in SHARES:
            seconds, steps = medians[name][share]
            own = medians.get(base, {}).get(share, (float("nan"), 0.0))[0]
            cells += [_text(seconds), _text(steps), _ratio(seconds, own)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _medians(seeds: Sequence[Sequence[Point]], expert: float) -> dict[int, tuple[float, float]]:
    """An upper median: half the seeds that never arrive are 'never', not half of infinity."""
    found = {}
    for share in SHARES:
        reached = sorted(seconds_to(points, share / 100 * expert) for points in seeds)
        found[share] = reached[len(reached) // 2]
    return found


def _text(value: float) -> str:
    return f"{value:,.0f}" if np.isfinite(value) else "never"


def _ratio(seconds: float, own: float) -> str:
    return f"{seconds / own:.2f}" if np.isfinite(seconds) and np.isfinite(own) else "–"


def draw(curves: Mapping[str, Curves], path: Path) -> None:
    """A row for each task: return over seconds and over environment steps, a line for each seed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4 * len(curves)), layout="constrained")
    axes = figure.subplots(len(curves), 2, squeeze=False)
    for row, (task, contenders_) in zip(axes, curves.items(), strict=True):
        for number, (name, seeds) in enumerate(contenders_.items()):
            for i, points in enumerate(seeds):
                seconds, steps, score = zip(*points, strict=True)
                label = "" if i else name
                for panel, x in zip(row, (seconds, steps), strict=True):
                    panel.plot(x, score, color=f"C{number}", lw=1.2, label=label)
        row[0].set(xlabel="seconds", ylabel=f"{task}: return")
        row[1].set(xlabel="environment steps (cloning takes none)")
        row[1].legend(fontsize=8)
    figure.savefig(path, dpi=150)


def rows_of(task: str, name: str, seed: int, points: Sequence[Point]) -> list[list[Any]]:
    """Lines of the CSV."""
    return [[task, name, seed, *point] for point in points]


def write_csv(path: Path, rows: Sequence[Sequence[Any]]) -> None:
    """All evaluations so far."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([FIELDS, *rows])
    write_bytes(path, text.getvalue().encode())

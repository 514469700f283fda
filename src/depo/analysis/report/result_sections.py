"""What a page says of a folder of results: verdict, curves, every run's last numbers, figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from depo.analysis.report.claims import claims_table
from depo.analysis.report.contents import told_apart
from depo.analysis.report.markup import Cell, Markup, Row, table, tag
from depo.analysis.report.media import ALL, Medium, media_of
from depo.analysis.report.sections import (
    duration,
    media_section,
    score_cell,
    statistic,
    whole,
)
from depo.analysis.results import Results
from depo.core.metrics import find_metric


@dataclass(frozen=True)
class ResultContents:
    """All that is said of a folder of results."""

    name: str
    results: Results
    media: list[Medium]
    notes: list[str]


def results_of(folders: Sequence[Path], room: int = ALL) -> list[ResultContents]:
    """Folders of results, read by the checked readers."""
    found = []
    for name, path in zip(told_apart(folders), folders, strict=True):
        media, left_out = media_of(path, room)
        room -= sum(len(one.data) for one in media)
        found.append(ResultContents(name, Results.open(path), media, left_out))
    return found


def results_section(own: ResultContents, charts: int) -> Markup:
    """All of it, with places for as many charts."""
    results = own.results
    without = tag("noscript", tag("p", "Curves need scripting; the tables below do not."))
    return tag(
        "section",
        tag("h2", own.name),
        tag("p", f"Results of depo reproduce: {results.verdict.told()}."),
        *(tag("p", note, class_="note") for note in own.notes),
        claims_table(results.verdict.claims, "Claims, as they were written before the runs"),
        without if charts else None,
        tag("div", *(tag("figure", class_="chart") for _ in range(charts)), class_="charts"),
        *(_last(results, name) for name in dict.fromkeys(results.environments.values())),
        media_section(own.media, "media large"),
    )


def _last(results: Results, environment: str) -> Markup | None:
    """Every run's last evaluation of the score."""
    metric = find_metric(results.score(environment))
    rows: list[Row] = []
    counts: set[int] = set()
    for label in results.labels(environment):
        every = [row for row in results.rows_of(label) if metric.name in row]
        if not every:
            continue
        last = {row["seed"]: row for row in every}  # by steps, so that the last one stays
        counts.add(len(last))
        spent = results.verdict.runtime_seconds.get(label, 0.0)
        rows.append(
            [
                label,
                score_cell([row[metric.name] for row in last.values()], metric.text),
                whole(len(last)),
                whole(max(row["env_steps"] for row in last.values())),
                Cell(duration(spent), spent) if spent else "–",
            ]
        )
    caption = f"{environment}, last evaluation: {statistic(counts)}"
    return table(["run", metric.title, "seeds", "steps", "time"], rows, caption=caption)

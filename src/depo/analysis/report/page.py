"""The page: one file with all it needs inside, that asks no network for anything."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from depo.analysis.report.charts import charts_of, charts_of_results
from depo.analysis.report.contents import Claims, RunContents, contents_of
from depo.analysis.report.foreign_curves import ForeignCurve, read_curves
from depo.analysis.report.markup import Markup, embedded, joined, tag
from depo.analysis.report.media import ALL
from depo.analysis.report.result_sections import ResultContents, results_of, results_section
from depo.analysis.report.sections import comparison, run_section
from depo.core.errors import DepoError
from depo.core.files import write_bytes
from depo.runs.run import Run

UPLOT = "uplot-1.6.32"
"""The plotting library inside the package, with its version (MIT, by Leon Sorokin)."""
ASSETS = "depo.analysis.report"


def write_report(
    runs: Sequence[Run],
    path: Path,
    *,
    curves: Sequence[str] = (),
    results: Sequence[Path] = (),
    claims: Callable[[Run], Claims] = lambda _: {},
    measure: bool = True,
) -> Path:
    """Write the page of some runs, whole or not at all; ``curves`` are files of other people's.

    ``results`` are folders of ``depo reproduce``, ``claims`` finds those about a run.
    """
    if not (runs or results):
        raise DepoError("a report needs at least one run: depo report RUN -o report.html")
    if path.suffix.lower() not in (".html", ".htm"):
        raise DepoError(f"a report is a page for a browser, {path} is not called so: -o NAME.html")
    foreign = read_curves(curves)
    _check_one_environment(runs, foreign)
    found = contents_of(runs, claims=claims, measure=measure)
    judged = results_of(results, room=ALL - sum(own.media_bytes for own in found))
    write_bytes(path, page(found, foreign, judged).encode())
    return path


def page(
    found: Sequence[RunContents],
    foreign: Sequence[ForeignCurve] = (),
    judged: Sequence[ResultContents] = (),
) -> str:
    """The page as text."""
    groups: dict[str, list[RunContents]] = {}
    for own in found:
        groups.setdefault(own.run.job.environment.label, []).append(own)
    charts = {
        label: charts_of(group, foreign) if len(groups) == 1 or not foreign else []
        for label, group in groups.items()
    }
    experiments = [charts_of_results(own.results) for own in judged]
    names = ", ".join([own.name for own in judged] + [own.name for own in found])
    style = _asset(f"{UPLOT}.min.css") + _asset("report.css")
    drives = [drive for own in found for drive in own.drives]
    script = _asset(f"{UPLOT}.min.js") + "\n" + _asset("report.js")
    script += "\n" + _asset("drives.js") if drives else ""
    body = joined(
        [
            tag("h1", "Report: ", names),
            tag("p", _written(), class_="dim"),
            *(results_section(*own) for own in zip(judged, map(len, experiments), strict=True)),
            *(_environment(label, group, charts[label]) for label, group in groups.items()),
            *_other_curves(foreign),
            *(run_section(own) for own in found),
            tag("footer", tag("p", _about_the_plots())),
        ]
    )
    return (
        "<!doctype html>\n"
        + tag(
            "html",
            tag(
                "head",
                tag("meta", charset="utf-8"),
                tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
                tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
                tag("meta", name="color-scheme", content="light dark"),
                tag("title", "depo: ", names),
                Markup(f"<style>{style}</style>"),
            ),
            tag(
                "body",
                tag("main", body),
                _data("charts", [x for own in [*experiments, *charts.values()] for x in own]),
                _data("drives", drives) if drives else None,
                Markup(f"<script>{script}</script>"),
            ),
            lang="en",
        ).text
        + "\n"
    )


def _data(name: str, value: object) -> Markup:
    """Plain data for the script that asks for them by this name."""
    return Markup(f'<script type="application/json" id="{name}">{embedded(value)}</script>')


def _environment(label: str, group: Sequence[RunContents], charts: Iterable[object]) -> Markup:
    """Curves and table of all runs in one environment."""
    places = [tag("figure", class_="chart") for _ in charts]
    without = tag("noscript", tag("p", "Curves need scripting; the tables below do not."))
    return tag(
        "section",
        tag("h2", label),
        without if places else None,
        tag("div", *places, class_="charts"),
        comparison(group),
    )


def _other_curves(foreign: Sequence[ForeignCurve]) -> list[Markup]:
    return [
        tag(
            "p",
            f"{own.label}: {own.source}, {own.values.shape[1]} "
            f"seed{'s' if own.values.shape[1] > 1 else ''}, up to {own.steps[-1]:,.0f} steps.",
            class_="dim",
        )
        for own in foreign
    ]


def _check_one_environment(runs: Sequence[Run], foreign: Sequence[ForeignCurve]) -> None:
    labels = sorted({run.job.environment.label for run in runs})
    if foreign and len(labels) > 1:
        raise DepoError(
            f"--curves belong to one environment and these runs are in {', '.join(labels)}: write "
            "a report for each"
        )


def _policy(style: str, script: str) -> str:
    """Nothing is fetched, and nothing runs but what is written here."""
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "img-src data:; media-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _asset(name: str) -> str:
    text = (files(ASSETS) / "assets" / name).read_text("utf-8")
    assert "</script" not in text
    assert "</style" not in text
    return text


def _written() -> str:
    now = datetime.now(UTC)
    return f"Written by depo {version('depo')} on {now:%Y-%m-%d at %H:%M} UTC."


def _about_the_plots() -> str:
    return (
        f"Curves are drawn by {UPLOT.replace('-', ' ').replace('uplot', 'uPlot')} (MIT licence, "
        "© Leon Sorokin). The page fetches nothing."
    )

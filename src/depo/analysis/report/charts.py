"""The charts of a page as plain data: curves with bands on common steps, and lines across."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, SupportsFloat

import numpy as np

from depo.analysis.curves import band, curve, curve_of
from depo.analysis.report.contents import RunContents
from depo.analysis.report.foreign_curves import ForeignCurve
from depo.analysis.results import Results
from depo.core.metrics import Metric, find_metric

DIGITS = 6
"""Of a number in a chart: more are not seen."""
REACH = "reach_error"


def charts_of(group: Sequence[RunContents], foreign: Sequence[ForeignCurve]) -> list[dict]:
    """What is drawn of the runs in one environment: their score, and how plans are reached."""
    metric = group[0].score
    found = [_chart(group, metric, foreign if metric == "return" else ())]
    if foreign and metric != "return":
        found.append(_chart((), "return", foreign))
    planned = [own for own in group if any(REACH in row for row in own.rows[:1])]
    if planned:
        chart = _chart(planned, REACH, ())
        drawn = [x for curve in chart["curves"] for x in curve["low"] if x is not None]
        found.append(chart | {"logarithmic": min(drawn, default=0.0) > 0})
    return [chart for chart in found if chart["curves"]]


def charts_of_results(results: Results) -> list[dict]:
    """A chart for each environment: what every run of an experiment is watched by."""
    found = []
    for environment in dict.fromkeys(results.environments.values()):
        own = {label: results.rows_of(label) for label in results.labels(environment)}
        known = find_metric(results.score(environment))
        curves = [_curve(label, *curve_of(rows, known.name)) for label, rows in own.items()]
        chart = _described(known, [one for one in curves if one is not None])
        found.append(chart | {"title": f"{environment}: {known.title}"})
    return [chart for chart in found if chart["curves"]]


def _chart(group: Sequence[RunContents], metric: str, foreign: Sequence[ForeignCurve]) -> dict:
    learned = [own for own in group if own.rows and own.run.job.steps]
    curves = [_curve(own.name, *curve(own.run, metric)) for own in learned]
    curves += [_curve(own.label, own.steps, own.values, foreign=True) for own in foreign]
    ends = group[0].yardstick if group else None
    lines = {"expert": ends.expert.get(metric), "random": ends.random.get(metric)} if ends else {}
    lines |= _levels(group, metric)
    across = [{"label": n, "value": _short(x)} for n, x in lines.items() if x is not None]
    return _described(find_metric(metric), [own for own in curves if own is not None], across)


def _levels(group: Sequence[RunContents], metric: str) -> dict[str, float]:
    """The mean of every run of no steps: a curve of one point says nothing, a line beside the
    curves of others does."""
    at_once = [own for own in group if own.rows and not own.run.job.steps]
    found = {own.name: [row[metric] for row in own.rows if metric in row] for own in at_once}
    return {f"{name}: no steps": float(np.mean(values)) for name, values in found.items() if values}


def _described(
    known: Metric, curves: Sequence[Mapping[str, Any]], lines: Sequence[Mapping[str, Any]] = ()
) -> dict:
    return {
        "title": known.title,
        "about": known.meaning,
        "logarithmic": False,
        **_aligned(curves),
        "lines": list(lines),
    }


def _curve(
    label: str, steps: np.ndarray, values: np.ndarray, foreign: bool = False
) -> dict[str, Any] | None:
    if not len(steps):
        return None
    middle, low, high, said = band(values)
    drawn = {"steps": steps, "middle": middle, "low": low, "high": high}
    return {"label": label, "seeds": values.shape[1], "about": said, "foreign": foreign, **drawn}


def _aligned(curves: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """All curves on the steps that any of them has; null between a curve's own. One evaluation
    alone is drawn from step 0 on: a line across needs two ends."""
    every = np.unique(np.concatenate([own["steps"] for own in curves])) if curves else np.zeros(0)
    if len(every) == 1:
        every = np.unique([0.0, *every])
    aligned = []
    for own in curves:
        places = np.searchsorted(every, own["steps"])
        series = {}
        for name in ("middle", "low", "high"):
            row: list[float | None] = [None] * len(every)
            for place, value in zip(places, own[name], strict=True):
                row[place] = _short(value)
            series[name] = row
        about = {key: own[key] for key in ("label", "seeds", "about", "foreign")}
        aligned.append(about | series)
    return {"steps": [_short(step) for step in every], "curves": aligned}


def _short(value: SupportsFloat) -> float | None:
    own = float(value)
    return float(f"{own:.{DIGITS}g}") if np.isfinite(own) else None

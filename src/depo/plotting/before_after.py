"""A transfer of no steps: there is no curve, but a return before and after, beside others."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from depo.analysis.yardstick import yardstick_of
from depo.core.metrics import find_metric
from depo.models.card import read_origin
from depo.plotting.axes import legend_below
from depo.plotting.words import literal
from depo.runs.planners import source_folder
from depo.runs.run import Run

Bars = dict[str, list[float]]
COLOURS = {"random": "#9e9e9e", "before": "#1b4f8a", "here": "#c62828", "expert": "#4d4d4d"}
RETURN = "return"
SAID = {"before": "before,\nwhere it was trained", "here": "after,\nwith this skill"}


def draw_before_after(run: Run) -> Figure:
    """A bar for each of who acts; a dot is a seed, an episode, or a mean that is known."""
    figure = Figure(figsize=(5.4, 4), layout="constrained")
    axes = figure.subplots()
    draw_bars(axes, returns_of(run))
    reached = [
        row["reach_error_relative"] for row in run.metrics() if "reach_error_relative" in row
    ]
    said = [f"{run.job.method} of no steps, {run.job.environment.label}"]
    if reached:
        metric = find_metric("reach_error_relative")
        said.append(f"{metric.label} {metric.text(float(np.mean(reached)))}")
    axes.set_title("\n".join(map(literal, said)), fontsize=10)
    return figure


def returns_of(run: Run) -> Bars:
    """The returns of everybody who is known: seeds before and after, random actions, the expert."""
    cards = [read_origin(source_folder(run) / f"seed-{seed}").scores for seed in run.job.seeds]
    known = yardstick_of(run)
    bars = {
        "random": _only(known.random),
        "before": [card[RETURN] for card in cards if RETURN in card],
        "here": [row[RETURN] for row in run.metrics() if RETURN in row],
        "expert": _episodes(run) or _only(known.expert),
    }
    return {who: values for who, values in bars.items() if values}


def draw_bars(axes: Axes, bars: Bars) -> None:
    """Means as bars with their numbers, single values as dots."""
    metric = find_metric("return")
    for place, (who, values) in enumerate(bars.items()):
        mean = float(np.mean(values))
        axes.bar(place, mean, color=COLOURS[who], width=0.6, alpha=0.85)
        above = (place, max(0.0, *values))
        axes.annotate(metric.text(mean), above, (0, 5), textcoords="offset points", ha="center")
        label = "one seed, episode or known mean" if place == 0 else None
        axes.plot([place] * len(values), values, "o", color="black", ms=3, alpha=0.5, label=label)
    axes.set_xticks(range(len(bars)), [SAID.get(who, who) for who in bars], fontsize=9)
    axes.set_ylabel(metric.title)
    axes.axhline(0.0, color="black", lw=0.8)
    axes.margins(y=0.12)
    axes.grid(axis="y", alpha=0.25)
    legend_below(axes)


def _only(scores: Mapping[str, float]) -> list[float]:
    return [scores[RETURN]] if RETURN in scores else []


def _episodes(run: Run) -> list[float]:
    """The expert's, where the run has its recording."""
    demos = run.demonstrations()
    known = None if demos is None else demos.episode_returns
    return [] if known is None else [float(value) for value in known]

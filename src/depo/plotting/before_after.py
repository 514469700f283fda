"""A transfer of no steps: there is no curve, but a return before and after, beside others."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from depo.core.metrics import find_metric
from depo.evaluation.vector_rollouts import Player
from depo.models.card import read_origin
from depo.plotting.axes import legend_below
from depo.plotting.words import literal
from depo.runs.planners import source_folder
from depo.runs.run import Run

Bars = dict[str, list[float]]
COLOURS = {"random": "#9e9e9e", "before": "#1b4f8a", "here": "#c62828", "expert": "#4d4d4d"}
SAID = {"before": "before,\nwhere it was trained", "here": "after,\nwith this skill"}


def draw_before_after(run: Run) -> Figure:
    """A bar for each of who acts; every seed, or episode of the expert, is a dot."""
    figure = Figure(figsize=(5.4, 4), layout="constrained")
    axes = figure.subplots()
    draw_bars(axes, returns_of(run))
    reached = [
        row["reach_error_relative"] for row in run.metrics() if "reach_error_relative" in row
    ]
    said = f"{run.job.method} of no steps, {run.job.environment.label}"
    if reached:
        metric = find_metric("reach_error_relative")
        said += f"\n{metric.label} {metric.text(float(np.mean(reached)))}"
    axes.set_title(literal(said), fontsize=10)
    return figure


def returns_of(run: Run) -> Bars:
    """The returns of everybody who is known: seeds before and after, random actions, the expert."""
    cards = [read_origin(source_folder(run) / f"seed-{seed}").scores for seed in run.job.seeds]
    demos = run.demonstrations()
    known = None if demos is None else demos.episode_returns
    bars = {
        "random": _random_returns(run),
        "before": [card["return"] for card in cards if "return" in card],
        "here": [row["return"] for row in run.metrics() if "return" in row],
        "expert": [] if known is None else [float(x) for x in known],
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
        label = "one seed, or episode" if place == 0 else None
        axes.plot([place] * len(values), values, "o", color="black", ms=3, alpha=0.5, label=label)
    axes.set_xticks(range(len(bars)), [SAID.get(who, who) for who in bars], fontsize=9)
    axes.set_ylabel(metric.title)
    axes.axhline(0.0, color="black", lw=0.8)
    axes.margins(y=0.12)
    axes.grid(axis="y", alpha=0.25)
    legend_below(axes)


def _random_returns(run: Run) -> list[float]:
    """Of random actions in the run's environment; nothing where that would import a stranger's."""
    if run.wants:
        return []
    environment = run.job.first_environment.gymnasium()
    player = Player(environment, run.job.seeds[0])
    try:
        return [float(x) for x in player.play(None).returns()]
    finally:
        player.close()

"""The reachability report as a figure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from depo.analysis.reach_report import Reachability
from depo.plotting.axes import legend_below
from depo.plotting.words import literal

PLAN, SKILL = "#c62828", "#ef8a17"


def draw_reachability(report: Reachability, title: str) -> Figure:
    """Error by feature, over time, and split between plan and skill."""
    figure = Figure(figsize=(13.0, 3.8), layout="constrained")
    first, second, third = figure.subplots(1, 3, width_ratios=(1.3, 1.2, 1.0))
    _draw_features(first, report)
    second.plot(report.time, report.error_over_time, color="#1b4f8a", lw=1.6)
    second.set(xlabel="step of the episode", ylabel=f"reach error, {report.unit}")
    _begin_at_zero(second, report.error_over_time)
    second.grid(alpha=0.25)
    second.set_title("over time", fontsize=10)
    _draw_split(third, report)
    figure.suptitle(literal(title), fontsize=10)
    return figure


def _draw_features(axes: Axes, report: Reachability) -> None:
    place = np.arange(len(report.features))
    axes.bar(place, report.error_by_feature, color="#1b4f8a", label="mean square")
    axes.bar(place, np.square(report.bias_by_feature), color="#5b9bd5", label="of which bias")
    room = 60 // len(place)
    upright = any(len(name) > room for name in report.features)
    names = [literal(name) for name in report.features]
    axes.set_xticks(place, names, fontsize=7, rotation=90 if upright else 0)
    axes.set_ylabel("planned − reached, mean square")
    _begin_at_zero(axes, report.error_by_feature)
    axes.grid(alpha=0.25, axis="y")
    legend_below(axes)
    axes.set_title("by feature", fontsize=10)


def _draw_split(axes: Axes, report: Reachability) -> None:
    names = ["no action\nreaches it\n(plan)", "the best action\nwould have\n(skill)"]
    axes.bar(names, [report.unreachable, report.unskilled], color=[PLAN, SKILL], width=0.6)
    axes.set_ylabel(f"reach error, {report.unit}")
    _begin_at_zero(axes, (report.unreachable, report.unskilled))
    axes.grid(alpha=0.25, axis="y")
    relative = report.reach_error_relative
    axes.set_title(
        f"to blame: {report.blame} (error {relative:.2g} of standing still's)", fontsize=9
    )


def _begin_at_zero(axes: Axes, values: Sequence[float]) -> None:
    """From 0 to above the largest; to 1 where all is 0."""
    axes.set_ylim(0.0, 1.05 * max(values) or 1.0)

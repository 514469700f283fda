"""Learning curves: a line for the interquartile mean, a band for its bootstrap interval."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from depo.analysis.curves import curve
from depo.analysis.yardstick import Yardstick, yardstick_of
from depo.core.metrics import find_metric
from depo.evaluation.statistics import ENOUGH_SEEDS, interval, iqm
from depo.methods.registry import methods
from depo.plotting.axes import legend_below, log_scale, reference_line
from depo.plotting.words import literal
from depo.runs.run import Run


def method_colours() -> dict[str, str]:
    """The colour of every method there is by now: one may be registered at any time."""
    return {name: spec.colour for name, spec in methods().items()}


def draw_curves(
    axes: Axes,
    runs: Mapping[str, Run],
    metric: str,
    colours: Mapping[str, str] | None = None,
) -> None:
    """One line for each run; single seeds are drawn thin where there are fewer than five.

    ``colours`` are by label, or by method; None: the methods' own. Axes are called as the
    catalogue calls the metric.
    """
    hues = method_colours() if colours is None else colours
    for label, run in runs.items():
        steps, values = curve(run, metric)
        if not len(steps):
            continue
        known = hues.get(label, hues.get(run.job.method))
        middle = iqm(values) if values.shape[1] >= ENOUGH_SEEDS else values.mean(axis=1)
        style = "--" if label.endswith("-constant") else "-"  # a control in its method's colour
        dot = "o" if len(steps) == 1 else ""  # a line through one point is nothing to see
        (line,) = axes.plot(steps, middle, label=literal(label), color=known, lw=1.8, ls=style)
        line.set(marker=dot, markersize=5)
        if values.shape[1] >= ENOUGH_SEEDS:
            bands = np.array([interval(row) for row in values])
            axes.fill_between(steps, *bands.T, color=line.get_color(), alpha=0.18, lw=0)
        else:
            axes.plot(steps, values, color=line.get_color(), lw=0.6, alpha=0.5)
    axes.set(xlabel=find_metric("env_steps").title, ylabel=find_metric(metric).title)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.grid(alpha=0.25)
    legend_below(axes)


def draw_return_and_reach(
    top: Axes,
    bottom: Axes,
    runs: Mapping[str, Run],
    colours: Mapping[str, str] | None = None,
    reach: str = "reach_error",
) -> None:
    """Returns, with the expert's as a dashed line, above the errors between planned and reached;
    ``reach`` says in which units."""
    draw_curves(top, runs, "return", colours)
    for run in list(runs.values())[:1]:
        draw_yardstick(top, yardstick_of(run, measure=False), "return")
    plans = {label: run for label, run in runs.items() if reach in run.metrics()[-1]}
    draw_curves(bottom, plans, reach, colours)
    log_scale(bottom)


def draw_yardstick(axes: Axes, yardstick: Yardstick, metric: str) -> None:
    """Grey lines where the expert and a random policy are, as far as they are known."""
    for name, known, style in (
        ("expert", yardstick.expert, "--"),
        ("random", yardstick.random, ":"),
    ):
        if metric in known:
            reference_line(axes, known[metric], name, style)


def draw_before(axes: Axes, returns: Iterable[float]) -> None:
    """The mean of the returns that planners had before a transfer, and 90% of it."""
    before = float(np.mean(list(returns)))
    axes.axhline(before, color="black", lw=0.8, ls="--", label="before, and 90%")
    axes.axhline(0.9 * before, color="black", lw=0.6, ls=":")


def one_legend(figure: Figure, panels: Iterable[Axes]) -> None:
    """One legend beside all panels instead of one in each, where it would hide curves."""
    lines: dict[str, Artist] = {}
    for axes in panels:
        handles, labels = axes.get_legend_handles_labels()
        lines |= dict(zip(labels, handles, strict=True))
        if (own := axes.get_legend()) is not None:
            own.remove()
    figure.legend(lines.values(), lines.keys(), loc="outside right upper", fontsize=8)

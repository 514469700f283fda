"""The picture ``depo demo`` ends with."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from depo.plotting.axes import legend_below
from depo.plotting.curves import draw_curves
from depo.plotting.figures import greedy_plan, map_and_path, save_figure
from depo.plotting.gridmap import draw_map, legend_handles
from depo.runs.run import Run


def draw_demo(trained: Run, transferred: Run, path: Path) -> Path:
    """The expert, the planner learned from it, and success before and after the transfer."""
    (world, expert), plan = map_and_path(trained), greedy_plan(trained)
    figure = Figure(figsize=(13.5, 4.2), layout="constrained")
    axes = figure.subplots(1, 3, width_ratios=(1, 1, 1.3))
    draw_map(axes[0], world, expert=expert, plan=None, title="what was recorded: states only")
    draw_map(axes[1], world, expert=expert, plan=plan, title="the planner learned from it")
    curves = {"train: planner + skill, 4 actions": trained}
    curves["transfer: same planner, new skill, 16 actions"] = transferred
    draw_curves(axes[2], curves, "success")
    for line, style in zip(axes[2].get_lines()[::2], ("-", "--"), strict=False):
        line.set_linestyle(style)
    legend_below(axes[2])
    figure.legend(handles=legend_handles(), loc="outside lower center", ncols=5, fontsize=8)
    return save_figure(figure, path)

"""Imagined drives over the road: what the planner sees coming, beside what came."""

from __future__ import annotations

import jax
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from depo.analysis.imagined_drives import ImaginedDrives
from depo.plotting.road import PATH, PLAN, RECORDED, View, draw_scene, legend_handles

PANELS = 4
AROUND = 15.0
"""Metres of road shown behind and ahead of the paths."""
BESIDE = 2.5
"""Lanes shown to either side of the ego."""
WIDTH = 12.0
"""Of the figure, in inches."""


def draw_imagined_drives(drives: ImaginedDrives) -> Figure:
    """A stretch of road for each of a few egos, all equally long."""
    road = drives.environment.scene.road
    shown = range(min(PANELS, drives.imagined.shape[1]))
    # a planner that has not learned yet may imagine anything; the road is what is shown
    xs = np.concatenate([drives.imagined, drives.real])[:, : len(shown), 0].clip(0.0, road.length)
    begin, stretch = xs.min(axis=0) - AROUND, float(np.ptp(xs, axis=0).max()) + 2 * AROUND
    beside = BESIDE * road.lane_width
    height = len(shown) * (0.9 * WIDTH * 2 * beside / stretch + 0.5) + 0.8
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    for own, i in zip(figure.subplots(len(shown), 1, squeeze=False)[:, 0], shown, strict=True):
        _draw_one(own, drives, i)
        middle = float(drives.imagined[0, i, 1])
        own.set(xlim=(begin[i], begin[i] + stretch), ylim=(middle + beside, middle - beside))
        if i != shown[-1]:
            own.set_xlabel("")
    handles = [*legend_handles(with_plan=True), _mark("black", "where each is at the end")]
    figure.legend(handles=handles, loc="outside lower center", ncols=7, fontsize=8)
    return figure


def _draw_one(axes: Axes, drives: ImaginedDrives, i: int) -> None:
    """One ego's imagined, driven and recorded path, each with its end marked."""
    scene, vehicle = drives.environment.scene, int(drives.ego.vehicle[i])
    lived = int(drives.alive[:, i].sum())
    imagined, driven = drives.imagined[:, i, :2], drives.real[:lived, i, :2]
    seconds = [scene.time_step * (len(path) - 1) for path in (imagined, driven)]
    apart = float(np.hypot(*(imagined[lived - 1] - driven[-1])))
    title = (
        f"vehicle {vehicle}: imagined for {seconds[0]:.0f} s, driven for {seconds[1]:.0f} s, "
        f"then {apart:.1f} m apart"
    )
    ego = jax.tree.map(lambda column: column[i : i + 1], drives.ego)
    draw_scene(axes, drives.environment, View(ego, driven, imagined, title))
    # a plan that is reached would hide the path
    axes.plot(*driven.T, color=PATH, lw=6, alpha=0.4, zorder=4, solid_capstyle="butt")
    recorded = scene.recorded(vehicle, int(ego.frame[0]) + len(imagined) - 1)
    ends = {PATH: driven[-1], RECORDED: (recorded.x, recorded.y), PLAN: imagined[-1]}
    for size, (colour, (x, y)) in zip((11, 8, 5), ends.items(), strict=True):
        axes.plot(float(x), float(y), "o", ms=size, color=colour, mec="black", mew=0.5, zorder=7)


def _mark(colour: str, label: str) -> Line2D:
    return Line2D([], [], color=colour, marker="o", ls="", ms=6, label=label)

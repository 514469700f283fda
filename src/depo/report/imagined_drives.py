"""Imagined drives over the road: what the planner sees coming, beside what came."""

from __future__ import annotations

import jax
import numpy as np
from matplotlib.figure import Figure

from depo.evaluation.imagined_drives import ImaginedDrives
from depo.report.road import View, draw_scene, legend_handles

PANELS = 4
AROUND = 15.0
"""Metres of road shown behind and ahead of the paths."""
WIDTH = 12.0
"""Of the figure, in inches."""


def draw_imagined_drives(drives: ImaginedDrives) -> Figure:
    """A stretch of road for each of a few egos, all equally long."""
    road = drives.environment.scene.road
    shown = range(min(PANELS, drives.imagined.shape[1]))
    # a planner that has not learned yet may imagine anything; the road is what is shown
    xs = np.concatenate([drives.imagined, drives.real])[:, : len(shown), 0].clip(0.0, road.length)
    begin, stretch = xs.min(axis=0) - AROUND, float(np.ptp(xs, axis=0).max()) + 2 * AROUND
    across = max(road.right_edge, float(road.right_limit(0.0))) + road.lane_width
    height = len(shown) * (0.9 * WIDTH * across / stretch + 0.5) + 0.8
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    for own, i in zip(figure.subplots(len(shown), 1, squeeze=False)[:, 0], shown, strict=True):
        draw_scene(own, drives.environment, _view(drives, i))
        own.set_xlim(begin[i], begin[i] + stretch)
        if i != shown[-1]:
            own.set_xlabel("")
    figure.legend(
        handles=legend_handles(with_plan=True), loc="outside lower center", ncols=6, fontsize=8
    )
    return figure


def _view(drives: ImaginedDrives, i: int) -> View:
    seconds = drives.environment.scene.time_step * (len(drives.imagined) - 1)
    lived = int(drives.alive[:, i].sum())
    apart = float(np.hypot(*(drives.imagined - drives.real)[lived - 1, i, :2]))
    driven = drives.environment.scene.time_step * (lived - 1)
    title = (
        f"vehicle {int(drives.ego.vehicle[i])}: imagined for {seconds:.0f} s; after {driven:.0f} s "
        f"{apart:.1f} m from where it drove"
    )
    ego = jax.tree.map(lambda column: column[i : i + 1], drives.ego)
    return View(ego, drives.real[:lived, i, :2], drives.imagined[:, i, :2], title)

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


def draw_imagined_drives(drives: ImaginedDrives) -> Figure:
    """A stretch of road for each of a few egos, all equally long."""
    shown = range(min(PANELS, drives.imagined.shape[1]))
    figure = Figure(figsize=(12, 2.3 * len(shown) + 0.6), layout="constrained")
    begin, end = drives.imagined[..., 0].min(axis=0), drives.imagined[..., 0].max(axis=0)
    width = float((end - begin)[list(shown)].max()) + 2 * AROUND
    for own, i in zip(figure.subplots(len(shown), 1, squeeze=False)[:, 0], shown, strict=True):
        draw_scene(own, drives.environment, _view(drives, i))
        own.set_xlim(begin[i] - AROUND, begin[i] - AROUND + width)
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

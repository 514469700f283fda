"""Where everybody was at what time, lane by lane: the picture in which waves of traffic show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from depo.traffic.recording import Recording

EVERY = 5
"""Frames from one dot to the next of a track."""


def draw_space_time(recording: Recording, path: str | Path, minutes: float = 6.0) -> Path:
    """Write a PNG: one panel a lane, time to the right, the road upwards, coloured by speed.

    Only the first ``minutes`` are drawn; lines are what vehicles do, their colour is how fast.
    """
    lanes = recording.road.lanes
    figure = Figure(figsize=(11, 1.5 + 2.1 * ((lanes + 1) // 2)), layout="constrained")
    panels = figure.subplots((lanes + 1) // 2, 2, sharex=True, sharey=True, squeeze=False).flat
    speed = np.diff(recording.x, append=recording.x[-1:]) / recording.time_step
    seconds = (recording.frame - recording.frames[0]) * recording.time_step
    inside = np.diff(recording.vehicle, append=-1) == 0
    drawn = inside & (recording.frame % EVERY == 0) & (seconds <= 60 * minutes)
    lane = recording.road.lane_of(recording.y)
    fastest = float(np.percentile(speed[drawn], 98)) if drawn.any() else 1.0
    dots = None
    for number, axes in enumerate(panels):
        rows = drawn & (lane == number)
        dots = axes.scatter(
            seconds[rows] / 60,
            recording.x[rows],
            c=np.clip(speed[rows], 0, fastest),
            s=0.35,
            lw=0,
            cmap="turbo_r",
            vmin=0,
            vmax=fastest,
            rasterized=True,
        )
        axes.set_ylim(0, recording.road.length)
        axes.set_title(f"lane {number + 1}" if number < lanes else "", fontsize=9, loc="left")
        for x in recording.road.zone:
            axes.axhline(x, color="black", lw=0.5, ls=":")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.tick_params(labelsize=8)
    figure.supxlabel("minutes", fontsize=9)
    figure.supylabel("metres along the road", fontsize=9)
    if dots is not None:
        figure.colorbar(dots, ax=figure.axes, label="m/s", shrink=0.6, aspect=30)
    path = Path(path).with_suffix(".png")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=90)
    return path

"""Where everybody was at what time, lane by lane: the picture in which waves of traffic show."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from PIL import Image

from depo.core.files import write_bytes
from depo.driving.traffic.recording import Recording

EVERY = 8
"""Frames from one corner of a drawn track to the next."""
COLOURS = 128
"""In the file: thin lines of all speeds hardly compress otherwise."""

SPEED = ListedColormap(colormaps["turbo_r"](np.linspace(0.1, 0.9, 256)))
"""Red is slow, blue is fast; without turbo's ends, which are both nearly black."""


def draw_space_time(
    recording: Recording, path: str | Path, *, start: float = 0.0, minutes: float = 5.0
) -> Path:
    """Write a PNG: one panel a lane, time to the right, the road upwards, coloured by speed.

    ``minutes`` from ``start`` on are drawn; lines are what vehicles do, their colour is how fast.
    """
    lanes = recording.road.lanes
    figure = Figure(figsize=(11, 1.5 + 1.8 * ((lanes + 1) // 2)), layout="constrained")
    panels = figure.subplots((lanes + 1) // 2, 2, sharex=True, sharey=True, squeeze=False).flat
    time, x, lane = _corners(recording)
    here = (time[:, 1] >= start) & (time[:, 0] <= start + minutes)
    speed = (x[:, 1] - x[:, 0]) / np.maximum(60 * (time[:, 1] - time[:, 0]), 1e-9)
    fastest = float(np.percentile(speed[here], 98)) if here.any() else 1.0
    lines = None
    for number, axes in enumerate(panels):
        rows = here & (lane == number)
        lines = LineCollection(list(np.stack([time[rows], x[rows]], -1)), cmap=SPEED, lw=0.8)
        lines.set_array(speed[rows])
        lines.set_clim(0, fastest)
        axes.add_collection(lines)
        axes.set_xlim(start, start + minutes)
        axes.set_ylim(0, recording.road.length)
        axes.set_title(f"lane {number + 1}" if number < lanes else "", fontsize=9, loc="left")
        for edge in recording.road.zone:
            axes.axhline(edge, color="black", lw=0.7, ls=":")
        axes.tick_params(labelsize=8)
    figure.supxlabel("minutes", fontsize=9)
    figure.supylabel("metres along the road", fontsize=9)
    if lines is not None:
        figure.colorbar(lines, ax=figure.axes, label="m/s", shrink=0.6, aspect=30)
    return _save(figure, Path(path).with_suffix(".png"))


def _corners(recording: Recording) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Straight pieces of tracks: minutes and x at both ends, and the lane at the first."""
    first = np.flatnonzero(
        (np.arange(recording.rows) - recording.begin[:-1][recording.vehicle]) % EVERY == 0
    )
    last = np.minimum(first + EVERY, recording.begin[1:][recording.vehicle[first]] - 1)
    ends = np.stack([first, last], 1)
    minutes = (recording.frame - recording.frames[0]) * recording.time_step / 60
    return minutes[ends], recording.x[ends], recording.road.lane_of(recording.y[first])


def _save(figure: Figure, path: Path) -> Path:
    whole, small = io.BytesIO(), io.BytesIO()
    figure.savefig(whole, dpi=85)
    Image.open(whole).convert("RGB").quantize(COLOURS).save(small, "png", optimize=True)
    write_bytes(path, small.getvalue())
    return path

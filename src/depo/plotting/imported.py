"""What an import has made: a few episodes, feature by feature, and what was kept of each file."""

from __future__ import annotations

import io
import math
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from depo.core.files import write_bytes
from depo.data.importing.pipeline import Imported
from depo.data.importing.report import FileReport
from depo.plotting.words import literal

MOST_FEATURES, MOST_FILES = 12, 20
"""That are drawn."""
KEPT, SHORT, NOTHING = "#2a7f62", "#d1495b", "#e8e8e8"
WIDTH = 11.0


def draw_imported(imported: Imported, path: str | Path) -> Path:
    """Write a PNG: above, episodes over seconds, a panel for each feature; below, each file's time,
    what was kept of it and what was too short."""
    features = min(len(imported.names), MOST_FEATURES)
    wide = 2 if features in (2, 4) else min(3, features)
    tall = math.ceil(features / wide)
    files = imported.reports[:MOST_FILES]
    heights = [1.6 * tall, 0.7 + 0.22 * len(files)]
    figure = Figure(figsize=(WIDTH, sum(heights) + 0.9), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=heights, squeeze=False)[:, 0]
    panels = above.subplots(tall, wide, sharex=True, squeeze=False)
    has_seconds = imported.time_step is not None
    for number, axes in enumerate(panels.flat):
        if number >= features:
            axes.set_axis_off()
            continue
        _draw_feature(axes, imported, number)
        if number + wide >= features:  # nothing is drawn below
            axes.tick_params(labelbottom=True)
            axes.set_xlabel("seconds" if has_seconds else "states", fontsize=8)
    above.suptitle(_title(imported), fontsize=10)
    _draw_files(below.subplots(), files, len(imported.reports), has_seconds)
    data = io.BytesIO()
    figure.savefig(data, dpi=110)
    path = Path(path).with_suffix(".png")
    write_bytes(path, data.getvalue())
    return path


def _title(imported: Imported) -> str:
    states = sum(report.states for report in imported.reports)
    episodes = sum(report.episodes for report in imported.reports)
    said = f"{episodes:,} episodes, {states:,} states"
    if imported.time_step is not None:
        said += f" at {1 / imported.time_step:.4g} Hz"
    shown = len(imported.shown)
    more = len(imported.names) - MOST_FEATURES
    said += f"; the first {shown} drawn" if shown < episodes else ""
    return said + (f", {more} more features" if more > 0 else "")


def _draw_feature(axes: Axes, imported: Imported, number: int) -> None:
    for i, episode in enumerate(imported.shown):
        states = np.asarray([state[number] for state in episode.states])
        axes.plot(episode.time, states, lw=0.9, color=f"C{i}", alpha=0.85)
    low, high = float(imported.low[number]), float(imported.high[number])
    for edge in (low, high):
        axes.axhline(edge, color="black", lw=0.5, ls=":")
    title = f"{literal(imported.names[number])}   {low:.4g} … {high:.4g}"
    axes.set_title(title, fontsize=8, loc="left")
    axes.tick_params(labelsize=7)


def _draw_files(axes: Axes, files: list[FileReport], total: int, has_seconds: bool) -> None:
    for row, report in enumerate(files):
        end = max((piece.end for piece in report.pieces), default=0.0)
        axes.barh(row, end, height=0.7, color=NOTHING)
        for piece in report.pieces:
            length = max(piece.end - piece.start, end / 500)
            axes.barh(
                row, length, left=piece.start, height=0.7, color=KEPT if piece.is_kept else SHORT
            )
    axes.set_yticks(range(len(files)), [literal(Path(file.file).name) for file in files])
    axes.invert_yaxis()
    axes.tick_params(labelsize=7)
    axes.set_xlabel("seconds of the file" if has_seconds else "rows of the file", fontsize=8)
    for colour, said in ((KEPT, "kept"), (SHORT, "too short, dropped"), (NOTHING, "gap")):
        axes.barh(0, 0, color=colour, label=said)
    shown = f"files ({len(files)} of {total} shown)" if len(files) < total else "files"
    axes.set_title(shown, fontsize=8, loc="left")
    axes.legend(fontsize=7, ncols=3, loc="lower right", bbox_to_anchor=(1, 1), frameon=False)
    axes.spines[["top", "right"]].set_visible(False)

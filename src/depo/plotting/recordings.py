"""A recording against an environment, feature by feature."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from depo.analysis.recordings.check import RecordingCheck
from depo.analysis.recordings.moves import NOTHING, Moves
from depo.plotting.words import literal

ENVIRONMENT, FITS, WRONG = "#9e9e9e", "#1b4f8a", "#c62828"
MOST = 60
"""Features that are drawn, of more than these the first."""


def draw_check(check: RecordingCheck, title: str) -> Figure:
    """Values, changes in a step and starts: a row for each feature, in units of the environment's
    own range under random actions; red what a warning is about."""
    comparison = check.comparison
    assert comparison is not None
    shown = range(min(MOST, comparison.recording.features))
    wrong = {feature for finding in check.findings for feature in finding.features}
    figure = Figure(figsize=(12.0, 1.9 + 0.24 * len(shown)), layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    own, other = comparison.recording, comparison.explored.moves
    middle, scale = np.median(other.states, axis=0), _scale(other.states)
    sides = {
        "values": tuple((moves.states - middle) / scale for moves in (own, other)),
        "change in a step": _changes(own, other),
        "first states": tuple((moves.starts - middle) / scale for moves in (own, other)),
    }
    for axes, (name, (recorded, explored)) in zip(panels, sides.items(), strict=True):
        for feature in shown:
            colour = WRONG if feature in wrong else FITS
            _draw_range(axes, explored[:, feature], feature + 0.18, ENVIRONMENT)
            _draw_range(axes, recorded[:, feature], feature - 0.18, colour)
        if max(np.abs(recorded).max(), np.abs(explored).max()) > 1:
            _scale_in_decades(axes)
        axes.set_title(name, fontsize=10)
        axes.grid(alpha=0.25, axis="x")
        axes.axvline(0.0, color="black", lw=0.5)
        axes.tick_params(axis="x", labelsize=8)
    names = [literal(comparison.names[i]) for i in shown]
    panels[0].set_yticks(list(shown), names, fontsize=8)
    panels[0].set_ylim(len(shown) - 0.4, -0.6)
    panels[1].set_xlabel("in units of the environment's range under random actions", fontsize=9)
    _add_legend(figure, bool(wrong))
    figure.suptitle(literal(title), fontsize=10)
    return figure


def _changes(own: Moves, other: Moves) -> tuple[np.ndarray, np.ndarray]:
    scale = _scale(other.change)
    return own.change / scale, other.change / scale


def _scale(values: np.ndarray) -> np.ndarray:
    """Half of where most values lie; 1 for what never changes."""
    low, high = np.quantile(values, (0.05, 0.95), axis=0)
    return np.where(high - low > NOTHING, (high - low) / 2, 1.0)


def _draw_range(axes: Axes, values: np.ndarray, height: float, colour: str) -> None:
    """All values as a thin line, nine of ten as a thick one, their middle as a dot."""
    low, most_low, middle, most_high, high = np.quantile(values, (0, 0.05, 0.5, 0.95, 1))
    axes.plot([low, high], [height, height], color=colour, lw=1.0)
    axes.plot([most_low, most_high], [height, height], color=colour, lw=4.0, solid_capstyle="butt")
    axes.plot([middle], [height], "o", color="white", markeredgecolor=colour, ms=3.5)


def _scale_in_decades(axes: Axes) -> None:
    """Linear up to 1, logarithmic beyond, with a few ticks that people can read."""
    axes.set_xscale("symlog", linthresh=1.0)
    low, high = axes.get_xlim()
    decades = int(np.log10(max(-low, high)))
    powers = 10.0 ** np.arange(0, decades + 1, 1 + decades // 3)
    ticks = [*-powers[::-1], 0.0, *powers]
    axes.set_xticks([tick for tick in ticks if low <= tick <= high])
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def _add_legend(figure: Figure, wrong: bool) -> None:
    from matplotlib.lines import Line2D

    labels = {ENVIRONMENT: "environment, random actions", FITS: "recording"}
    labels |= {WRONG: "recording, with a warning"} if wrong else {}
    handles = [Line2D([], [], color=colour, lw=4) for colour in labels]
    figure.legend(handles, list(labels.values()), loc="outside lower center", ncols=3, fontsize=9)

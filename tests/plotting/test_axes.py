"""Panels keep their ticks, and legends hide no curve."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from depo.plotting.axes import legend_below, log_scale
from depo.plotting.before_after import draw_bars


@pytest.mark.parametrize("times", [1.0, 1.3, 3.0, 8.0, 30.0, 1e4])
def test_a_logarithmic_axis_has_numbers_whatever_its_range(times: float) -> None:
    figure = Figure()
    axes = figure.subplots()
    axes.plot([0, 1], [0.023, 0.023 * times])
    log_scale(axes)
    FigureCanvasAgg(figure).draw()
    low, high = axes.get_ylim()
    shown = [
        tick.label1.get_text()
        for tick in axes.yaxis.get_major_ticks()
        if low <= tick.get_loc() <= high and tick.label1.get_text()
    ]
    assert len(shown) >= 2
    assert len(set(shown)) == len(shown)
    assert max(len(text) for text in shown) < 30


def test_a_legend_is_below_the_panel() -> None:
    figure = Figure(layout="constrained")
    axes = figure.subplots()
    for name in ("one", "two", "three", "four"):
        axes.plot([0, 1], [0, 1], label=name)
    axes.set_xlabel("steps")
    legend_below(axes)
    FigureCanvasAgg(figure).draw()
    legend = axes.get_legend()
    assert legend is not None
    assert legend.get_window_extent().y1 < axes.get_window_extent().y0
    assert legend.get_window_extent().y0 >= 0


def test_bars_have_their_mean_as_a_number_and_every_seed_as_a_dot() -> None:
    axes = Figure().subplots()
    draw_bars(axes, {"random": [-20.0], "before": [3100.0, 2900.0], "here": [1234.5678]})
    texts = [text.get_text() for text in axes.texts]
    assert texts == ["-20.0", "3,000", "1,235"]
    dots = np.concatenate([line.get_ydata() for line in axes.lines if line.get_marker() == "o"])
    assert dots.tolist() == [-20.0, 3100.0, 2900.0, 1234.5678]
    assert next(label.get_text() for label in axes.get_xticklabels()) == "random"

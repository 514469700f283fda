"""Final values side by side: a dot for each seed, a bar for their middle."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from depo.core.metrics import find_metric
from depo.evaluation.statistics import ENOUGH_SEEDS, interval, iqm

BAR, SEED, PAPER = "#1b4f8a", "#222222", "#c62828"


def draw_points(
    axes: Axes,
    values: Mapping[str, np.ndarray],
    metric: str,
    published: Mapping[str, float] | None = None,
) -> None:
    """A column for each label, with its interval from five seeds up; red marks are the paper's.

    The axis is called as the catalogue calls the metric.
    """
    for x, own in enumerate(values.values()):
        middle = iqm(own) if len(own) >= ENOUGH_SEEDS else float(np.mean(own))
        axes.bar(x, middle, width=0.62, color=BAR, alpha=0.35)
        if bounds := interval(own):
            axes.vlines(x, *bounds, color=BAR, lw=3)
        spread = np.linspace(-0.12, 0.12, len(own)) if len(own) > 1 else np.zeros(1)
        axes.plot(x + spread, own, "o", color=SEED, ms=3.5)
    columns = {label: x for x, label in enumerate(values)}
    marks = {columns[label]: y for label, y in (published or {}).items() if label in columns}
    if marks:
        axes.plot(list(marks), list(marks.values()), "D", color=PAPER, ms=6, mfc="none")
        axes.plot([], [], "D", color=PAPER, ms=6, mfc="none", label="published")
        axes.legend(fontsize=8, loc="lower right", bbox_to_anchor=(1, 1), frameon=False)
    axes.set_xticks(range(len(values)), list(values), rotation=25, ha="right", fontsize=8)
    axes.set_ylabel(find_metric(metric).title)
    axes.grid(axis="y", alpha=0.25)

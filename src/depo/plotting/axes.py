"""What every panel needs: ticks that can be read, a legend that hides nothing."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import AutoLocator, FuncFormatter, LogLocator, NullFormatter

FEW, SOME = 4.0, 400.0
"""Times the least value of a logarithmic axis that the largest is, below which powers of ten alone
are no ticks, or hardly any."""


def log_scale(axes: Axes) -> None:
    """A logarithmic y axis with at least two ticks that have a number; call it after drawing."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    if not high / low < SOME:
        return
    axis = axes.yaxis
    axis.set_major_locator(AutoLocator() if high / low < FEW else LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.4g}"))
    axis.set_minor_formatter(NullFormatter())


def reference_line(axes: Axes, value: float, label: str, style: str = "--") -> None:
    """A dashed line across the panel, never on its border."""
    axes.axhline(value, color="grey", lw=0.8, ls=style, label=label)
    axes.update_datalim([(0.0, value)], updatex=False)
    axes.autoscale_view(scalex=False)


def legend_below(axes: Axes, columns: int = 3) -> None:
    """A legend under the panel, where no curve is; none where nothing has a name."""
    handles, _ = axes.get_legend_handles_labels()
    if handles:
        axes.legend(
            fontsize=8,
            loc="upper center",
            ncols=min(columns, len(handles)),
            bbox_to_anchor=(0.5, -0.16),
            frameon=False,
        )

"""What a metric is: its name, its meaning, its direction and where it is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Better = Literal["higher", "lower", "neither"]
Place = Literal["progress line", "end-of-run table", "run figure", "experiments"]
"""Where a metric is shown; 'experiments' are their tables and results.csv."""
Group = Literal[
    "Row", "Success and return", "Occupancies", "Plans and skill", "Transfer", "Training", "Driving"
]

PROGRESS: Place = "progress line"
SUMMARY: Place = "end-of-run table"
FIGURE: Place = "run figure"
EXPERIMENTS: Place = "experiments"


@dataclass(frozen=True)
class Metric:
    """One column of metrics.csv, or one entry of an evaluation."""

    name: str
    """As in metrics.csv, JSON and claims."""
    label: str
    """As tables and figures call it."""
    meaning: str
    """One sentence."""
    group: Group = "Training"
    """Its heading on the reference page."""
    unit: str = ""
    """Empty: a pure number or a share."""
    better: Better = "neither"
    shown: tuple[Place, ...] = ()
    absent: str = ""
    """When there is no such column; empty: every run has it, or every run of its group."""
    nan: str = ""
    """When it is NaN; empty: never, and a score that is not finite ends the run."""
    decimals: int = 3
    """Digits behind the point that mean something."""

    @property
    def title(self) -> str:
        """Label and unit, for an axis or a table.

        >>> Metric("distance", "distance", "Mean way driven.", unit="m").title
        'distance (m)'
        """
        return f"{self.label} ({self.unit})" if self.unit else self.label

    def text(self, value: float) -> str:
        """A value as people read it.

        >>> success = Metric("success", "success rate", "Share of drives that arrive.")
        >>> success.text(0.98765), success.text(3412.7)
        ('0.988', '3,413')
        """
        return number_text(value, self.decimals)

    def is_better(self, value: float, than: float) -> bool:
        """Whether a value beats another; where no direction is known, the higher one.

        >>> Metric("loss", "loss", "The mean loss.", better="lower").is_better(0.1, 0.2)
        True
        """
        return value < than if self.better == "lower" else value > than


def number_text(value: float, decimals: int = 3) -> str:
    """A number with n digits behind the point, fewer where it is large, two in all where small.

    >>> [number_text(x) for x in (0.5, 77.415, 12345.6, 0.00123, 1e300, float("nan"))]
    ['0.500', '77.4', '12,346', '0.0012', '1e+300', '–']
    """
    if math.isnan(value):
        return "–"
    if abs(value) >= 1e12:
        return f"{value:.3g}"
    if decimals and value and abs(value) < 0.01:
        return f"{value:.2g}"
    most = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else decimals
    return f"{value:,.{min(most, decimals)}f}"

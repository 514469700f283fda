"""A curve as text: braille dots, two by four in each character, with numbers at the edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from depo.core.metrics import number_text

BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of every dot of a braille character, (row, column)."""
BLANK = 0x2800
MARGIN = 9
"""Characters for numbers on the left."""


class Canvas:
    """Dots that are set, (rows × 4, columns × 2)."""

    def __init__(self, width: int, height: int):
        self.dots = np.zeros((4 * height, 2 * width), bool)

    def line(self, x: np.ndarray, y: np.ndarray) -> None:
        """Between points, in shares of the canvas from its lower left corner."""
        rows, columns = self.dots.shape
        at = np.arange(columns)
        inside = (at >= x[0] * (columns - 1)) & (at <= x[-1] * (columns - 1))
        heights = np.interp(at[inside], x * (columns - 1), y * (rows - 1))
        for column, low, high in zip(
            at[inside], heights, np.append(heights[1:], heights[-1:]), strict=True
        ):
            first, last = sorted((round(low), round(high)))
            self.dots[rows - 1 - last : rows - first, column] = True

    def across(self, y: float) -> None:
        """A dotted line at one height."""
        rows = self.dots.shape[0]
        self.dots[rows - 1 - round(y * (rows - 1)), ::4] = True

    def text(self) -> list[str]:
        """A line of characters for each row."""
        rows, columns = self.dots.shape[0] // 4, self.dots.shape[1] // 2
        cells = self.dots.reshape(rows, 4, columns, 2)
        codes = BLANK + np.einsum("rdcb,db->rc", cells, np.array(BITS))
        return ["".join(map(chr, row)) for row in codes]


def curve_text(
    steps: np.ndarray,
    curves: Sequence[np.ndarray],
    *,
    until: float,
    width: int = 80,
    height: int = 12,
    lines: Mapping[str, float] | None = None,
) -> list[str]:
    """A chart of some curves on the same steps, up to the end of the run; dotted lines, named at
    the right, where random policy and expert are.

    >>> print(*curve_text(np.array([0, 1, 2]), [np.array([0, 1, 2])], until=2, width=20, height=2),
    ...       sep=chr(10))
        2.000 ⠀⠀⠀⠀⢀⣀⡤⠖⠚⠉
        0.000 ⣠⠤⠖⠋⠉⠀⠀⠀⠀⠀
              0        2
    """
    known = dict(lines or {})
    beside = max(map(len, known), default=0) + 1 if known else 0
    columns = max(8, width - MARGIN - 1 - beside)
    values = np.concatenate([*curves, list(known.values())])
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    span = high - low or 1.0
    canvas = Canvas(columns, height)
    names = [""] * height
    for name, value in known.items():
        share = (value - low) / span
        canvas.across(share)
        names[height - 1 - round(share * (height - 1))] = f" {name}"
    for curve in curves:
        known_here = np.isfinite(curve)
        if known_here.any():
            canvas.line(steps[known_here] / until, (curve[known_here] - low) / span)
    ends = {0: high, height // 2: low + span * (height - 1 - height // 2) / max(height - 1, 1)}
    ends = {**({} if height < 5 else ends), 0: high, height - 1: low}
    drawn = [
        f"{number_text(ends[i]) if i in ends else '':>{MARGIN}} {row}{names[i]}"
        for i, row in enumerate(canvas.text())
    ]
    last = f"{until:,.0f}"
    return [*drawn, " " * (MARGIN + 1) + "0" + last.rjust(columns - 1)]

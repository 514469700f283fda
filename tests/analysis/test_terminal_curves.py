from __future__ import annotations

import numpy as np

from depo.analysis.terminal_curves import Canvas, curve_text


def test_a_rising_curve_rises() -> None:
    canvas = Canvas(10, 3)
    canvas.line(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    assert canvas.dots[-1, 0]
    assert canvas.dots[0, -1]
    assert not canvas.dots[0, 0]


def test_lines_fit_the_width_and_ends_are_named() -> None:
    steps = np.arange(1, 40) * 1_000.0
    drawn = curve_text(
        steps, [steps / 10], until=50_000, width=80, height=8, lines={"expert": 5e3, "random": 0.0}
    )
    assert max(map(len, drawn)) <= 80
    assert drawn[0].endswith("expert")
    assert drawn[7].endswith("random")
    assert drawn[-1].split() == ["0", "50,000"]


def test_a_flat_curve_of_one_point_and_gaps_are_no_trouble() -> None:
    assert curve_text(np.array([5.0]), [np.array([1.0])], until=10, width=30, height=5)
    assert curve_text(np.array([1.0, 2.0]), [np.array([np.nan, 1.0])], until=2, width=30, height=5)
    assert curve_text(np.array([1.0]), [np.array([np.nan])], until=2, width=30, height=5)

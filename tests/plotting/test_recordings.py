"""The figure of a recording beside its environment."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from depo.analysis.recordings.check import RecordingCheck
from depo.analysis.recordings.comparison import Comparison
from depo.analysis.recordings.moves import Moves
from depo.plotting.recordings import draw_check
from tests.support.cart import NAMES, demonstrations, explored, recording


@pytest.mark.parametrize("factor", [1.0, 1_000.0])
def test_ticks_are_numbers_as_people_write_them(factor: float) -> None:
    comparison = Comparison(Moves.of(demonstrations(recording())), explored(), NAMES)
    comparison = comparison.corrected(factors=np.full(4, factor))
    figure = draw_check(RecordingCheck((), comparison), "cart")
    FigureCanvasAgg(figure).draw()
    for axes in figure.axes:
        low, high = axes.get_xlim()
        ticks = [tick for tick in axes.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
        shown = [tick.label1.get_text() for tick in ticks]
        assert len(set(shown)) == len(shown) >= 2
        assert not any("$" in text for text in shown)
        extents = [tick.label1.get_window_extent() for tick in ticks]
        assert all(one.x1 < other.x0 for one, other in pairwise(extents))

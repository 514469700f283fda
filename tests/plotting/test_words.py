"""Words from files are drawn as they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from depo.plotting.figures import save_figure
from depo.plotting.words import literal


@pytest.mark.parametrize("name", ["$\\frac$", "a$b", "$$", "\\$x$", "\x1b[2J\x00", "速", "x" * 999])
def test_a_name_that_looks_like_a_formula_is_drawn(tmp_path: Path, name: str, recwarn) -> None:
    figure = Figure(figsize=(2, 1))
    figure.subplots().set_title(literal(name))
    assert save_figure(figure, tmp_path / "a.png").stat().st_size > 0
    assert [str(warning.message) for warning in recwarn] == []

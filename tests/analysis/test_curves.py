from __future__ import annotations

from pathlib import Path

import numpy as np

from depo.analysis.curves import band, curve
from depo.runs.run import Run
from tests.support.kept_runs import GRID, kept_run, with_seeds


def test_an_evaluation_that_lacks_a_seed_is_left_out(tmp_path: Path) -> None:
    folder = with_seeds(kept_run(GRID, tmp_path / "run"), 0, 1)
    whole = (folder / "metrics.csv").read_text()
    assert curve(Run.open(folder), "success")[0].tolist() == [64, 128]
    (folder / "metrics.csv").write_text("\n".join(whole.splitlines()[:-1]) + "\n")
    steps, values = curve(Run.open(folder), "success")
    assert steps.tolist() == [64]
    assert np.isclose(values[0, 1] - values[0, 0], 0.01)


def test_bands_are_intervals_from_five_seeds_on() -> None:
    values = np.array([[0.0, 1.0, 2.0, 3.0, 100.0]])
    assert band(values).middle.tolist() == [2.0]
    assert band(values).low[0] <= 2.0 <= band(values).high[0]
    few = band(values[:, :3])
    assert (few.low[0], few.middle[0], few.high[0]) == (0.0, 1.0, 2.0)


def test_the_mean_of_what_has_no_sum_is_infinite() -> None:
    """And nobody is told in NumPy's words that something overflows."""
    with np.errstate(over="raise"):
        assert band(np.full((1, 2), 1e308)).middle == np.inf

"""Every experiment of the registry, at every scale."""

from __future__ import annotations

from pathlib import Path

import pytest

from depo.experiments.experiment import (
    SCALES,
)
from depo.experiments.registry import EXPERIMENTS
from depo.experiments.sweep import Sweep


@pytest.mark.parametrize("name", EXPERIMENTS)
@pytest.mark.parametrize("scale", SCALES)
def test_every_experiment_has_a_plan_at_every_scale(name: str, scale: str) -> None:
    plan = EXPERIMENTS[name].plan(SCALES[scale])
    for planned in plan.values():
        assert planned.after == "" or planned.after in plan


def test_equal_runs_are_shared_by_experiments(tmp_path: Path) -> None:
    two, four = (Sweep(tmp_path, EXPERIMENTS[n].plan(SCALES["laptop"])) for n in ("fig2", "fig4"))
    assert two.path("depo") == four.path("depo")
    bench = Sweep(tmp_path, EXPERIMENTS["fig2"].plan(SCALES["bench"]))
    assert bench.path("depo") != two.path("depo")

"""What is said when a run is over."""

from __future__ import annotations

from pathlib import Path

from depo.api import make_job
from depo.cli.training import _regained
from depo.experiments.derived import Kept


def test_a_transfer_tells_when_each_seed_had_its_return_back() -> None:
    nan = float("nan")  # the planner of seed 5 has no measure
    kept = {3: [0.2, 0.95, 0.5], 4: [0.1, 0.2, 0.89], 5: [nan, nan, nan], 6: [0.1, 0.2, 0.9]}
    assert _regained(_transferred(kept)) == (
        "90% of the planner's return first after: "
        "2,000 steps (seed 3), never (seed 4), 3,000 steps (seed 6)"
    )


def test_a_transfer_without_a_measure_says_nothing_of_it() -> None:
    rows = [{"seed": 0, "env_steps": 1_000, "return": -1.0}]
    assert _regained(Kept(Path("run"), make_job("transfer"), rows)) == ""


def _transferred(kept: dict[int, list[float]]) -> Kept:
    rows = [
        {"seed": seed, "env_steps": 1_000 * (i + 1), "return_kept": value}
        for seed, values in kept.items()
        for i, value in enumerate(values)
    ]
    return Kept(Path("run"), make_job("transfer", seed=min(kept), seeds=len(kept)), rows)

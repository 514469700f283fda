"""What is said when a run is over."""

from __future__ import annotations

from pathlib import Path

from depo.api import make_job
from depo.cli.working import _regained
from depo.experiments.derived import Kept


def test_a_transfer_tells_when_each_seed_had_its_return_back() -> None:
    kept = {3: [0.2, 0.95, 0.5], 4: [0.1, 0.2, 0.89], 7: [0.1, 0.2, 0.9]}
    rows = [
        {"seed": seed, "env_steps": 1_000 * (i + 1), "return_kept": value}
        for seed, values in kept.items()
        for i, value in enumerate(values)
    ]
    rows.append({"seed": 9, "env_steps": 1_000, "return": -1.0})  # its planner has no measure
    said = _regained(Kept(Path("run"), make_job("transfer"), rows), sorted(kept))
    assert said == (
        "90% of the planner's return first after: "
        "2,000 steps (seed 3), never (seed 4), 3,000 steps (seed 7)"
    )

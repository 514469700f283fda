"""The preset `recipe`, the same for all tasks, beside version 0.1's, which was tuned task by task.

    python benchmarks/recipe.py --runs runs/recipe --out recipe.csv --tasks hopper --seeds 100 101

Equal steps and recordings, the last evaluation counts; seeds from 100 on are for tuning. Finished
trainings are kept in the folder of runs and never repeated.
"""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path

import numpy as np
from curves import Point, Training, measure, seconds_to

STEPS = {
    "inverted-pendulum": 15_000,
    "hopper": 30_000,
    "half-cheetah": 50_000,
    "walker2d": 50_000,
    "ant": 100_000,
}
"""Task: environment steps of each training, unless --steps says otherwise."""
PRESETS = ("v0.1", "recipe")


def row(asked: Training, curves: list[list[Point]]) -> list[str]:
    """Means over seeds; every seed's last return."""
    last = [points[-1] for points in curves]
    return [
        asked.task,
        asked.method,
        asked.preset,
        f"{asked.steps}",
        f"{np.mean([p.score for p in last]):.0f}",
        " ".join(f"{p.score:.0f}" for p in last),
        f"{min(p.worst for p in last):.0f}",
        f"{np.mean([p.reach_error for p in last]):.3g}",
        f"{np.mean([p.core_seconds for p in last]) / 60:.1f}",
        " ".join(f"{seconds_to(points, 0.9):.0f}" for points in curves),
    ]


HEADER = [
    *("task", "method", "preset", "steps", "return", "of each seed", "worst episode"),
    *("reach error", "core-minutes", "core-seconds to 90%"),
]


def main() -> None:
    """Train what is not there yet, then write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tasks", nargs="*", default=list(STEPS))
    parser.add_argument("--methods", nargs="*", default=["depo"])
    parser.add_argument("--presets", nargs="*", default=list(PRESETS))
    parser.add_argument("--seeds", nargs="*", type=int, default=[100, 101, 102])
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--demos", default="", help="one file for all tasks; empty: those shipped")
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    given.runs.mkdir(parents=True, exist_ok=True)
    kinds = [
        Training(method, task, given.demos, preset, 0, given.steps or STEPS[task])
        for task in given.tasks
        for method in given.methods
        for preset in given.presets
    ]
    asked = [kind._replace(seed=seed) for kind in kinds for seed in given.seeds]
    curves = measure(asked, given.runs, given.workers)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for kind in kinds:
        writer.writerow(row(kind, [curves[kind._replace(seed=seed)] for seed in given.seeds]))
    given.out.write_text(text.getvalue())
    print(text.getvalue())


if __name__ == "__main__":
    main()

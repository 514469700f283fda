"""Core-seconds until 90% of the expert's return: version 0.1 and the recipe, in turns, in one run.

    python benchmarks/time_to_expert.py --runs runs/time --seeds 100 101 102

Processor time, so that a busy machine does not matter much; compilation and evaluation count.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from curves import Training, measure, seconds_to

STEPS = {"inverted-pendulum": 20_000, "hopper": 60_000, "half-cheetah": 150_000}
PRESETS = ("v0.1", "recipe")
SHARE = 0.9


def main() -> None:
    """Train what is not there yet, then print a row for each task."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--tasks", nargs="*", default=list(STEPS))
    parser.add_argument("--seeds", nargs="*", type=int, default=[100, 101, 102])
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    given.runs.mkdir(parents=True, exist_ok=True)
    asked = [
        Training("depo", task, "", preset, seed, STEPS[task])
        for task in given.tasks
        for seed in given.seeds
        for preset in PRESETS
    ]
    curves = measure(asked, given.runs, given.workers)
    print(f"{'task':20}{'v0.1':>24}{'recipe':>24}{'ratio':>8}")
    for task in given.tasks:
        seconds = {
            preset: [
                seconds_to(curves[each], SHARE)
                for each in asked
                if (each.task, each.preset) == (task, preset)
            ]
            for preset in PRESETS
        }
        cells = (" ".join(f"{x:.0f}" for x in seconds[preset]) for preset in PRESETS)
        ratio = np.median(seconds["recipe"]) / np.median(seconds["v0.1"])
        print(f"{task:20}" + "".join(f"{cell:>24}" for cell in cells) + f"{ratio:>8.2f}")


if __name__ == "__main__":
    main()

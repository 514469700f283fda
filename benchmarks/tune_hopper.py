"""Tune every method on Hopper: the preset `fast` with one thing changed at a time, one tuning seed.

    python benchmarks/tune_hopper.py hopper.npz --runs runs/tuning --out hopper-tuning.csv

The tuning seed is none of those that figure 3 reports. A method's score is the mean return over the
last three evaluations (one evaluation alone is too noisy to choose by); the best score is marked.
Finished runs are never repeated and stopped ones go on.
"""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path
from typing import Any

import numpy as np

from depo.api import make_job
from depo.core.files import write_bytes
from depo.experiments.sweep import PlannedRun, Sweep
from depo.runs.run import Run

SEED = 100
LAST = 3

_ADVERSARY = {
    "fast": {},
    "centred": {"reward_shift": 0.0, "reward_centre": 1e-3},
    "penalty-1": {"gradient_penalty": 1.0, "reward_shift": 4.5},
}
_ACTOR = {
    **_ADVERSARY,
    "no-entropy": {"temperature": 0.0, "tune_temperature": False},
    "rates-1e-3": {"actor_rate": 1e-3, "critic_rate": 1e-3},
}
_SKILL = {
    "fast": {},
    "skill-3e-4": {"skill_rate": 3e-4},
    "two-updates": {"updates_per_step": 2.0},
}

CONFIGURATIONS: dict[str, dict[str, dict[str, Any]]] = {
    "depo": {
        **_ADVERSARY,
        "no-demonstrations": {"demo_share": 0.0},
        "mean-plans": {"sample_plans": False},
    },
    "gaifo": _ACTOR,
    "gaifo-dp": _ACTOR,
    "depo-agnostic": {
        "fast": {},
        "centred": _ADVERSARY["centred"],
        "outputs-1e-3": {"output_penalty": 1e-3},
        "outputs-1e-2": {"output_penalty": 1e-2},
        "outputs-1e-2-centred": {"output_penalty": 1e-2, **_ADVERSARY["centred"]},
    },
    "depo-supervised": {
        **_SKILL,
        "noise-1": {"noise": 1.0},
        "planner-1e-3": {"planner_rate": 1e-3},
    },
    "bco": {
        **_SKILL,
        "samples": {"clone_samples": True},
        "actor-1e-3": {"actor_rate": 1e-3},
    },
}
"""Method, configuration: what differs from ``fast``. Five for every method."""


def score(run: Run) -> float:
    """Mean return over the last evaluations."""
    return float(np.mean([row["return"] for row in run.metrics()][-LAST:]))


def table(runs: dict[tuple[str, str], Run]) -> str:
    """One row for each configuration, and which one is best."""
    scores = {key: score(run) for key, run in runs.items()}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["method", "configuration", "changes", "score", "last", "seconds", "best"])
    for (method, name), run in runs.items():
        best = max(value for (other, _), value in scores.items() if other == method)
        changes = " ".join(f"{k}={v}" for k, v in CONFIGURATIONS[method][name].items())
        own = scores[method, name]
        cells = [f"{own:.0f}", f"{run.final_scores()[0]['return']:.0f}", f"{run.seconds():.0f}"]
        writer.writerow([method, name, changes, *cells, "yes" if own == best else ""])
    return text.getvalue()


def main() -> None:
    """Run what is not done, then write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("demos", help="the recordings to imitate")
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=40_000)
    parser.add_argument("--only", nargs="*", default=list(CONFIGURATIONS))
    parser.add_argument("--workers", type=int, default=1)
    asked = parser.parse_args()
    keys = [(method, name) for method in asked.only for name in CONFIGURATIONS[method]]
    plan = {
        f"{method}-{name}": PlannedRun(
            make_job(
                method,
                env="hopper",
                demos=asked.demos,
                steps=asked.steps,
                seed=SEED,
                overrides=CONFIGURATIONS[method][name],
            )
        )
        for method, name in keys
    }
    sweep = Sweep(asked.runs, plan)
    sweep.execute(workers=asked.workers, watch=lambda *_: None)
    runs = sweep.runs()
    written = table({(method, name): runs[f"{method}-{name}"] for method, name in keys})
    write_bytes(asked.out, written.encode())
    print(written)


if __name__ == "__main__":
    main()

"""A method of this package, preset ``fast``, as a user would call it.

It is scored by its own evaluations, ten episodes of the deterministic policy whatever the job says,
on seeds of their own; their time counts, unlike that of the protocol's.
"""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Any

from protocol import TimeUpError, read_job, tell

import depo
from depo.api import make_job
from depo.methods.registry import find_method


def main() -> None:
    """Learn until the run or the time is over."""
    job = read_job()
    begun = time.perf_counter()

    def look(evaluation: depo.Evaluation) -> None:
        spent = time.perf_counter() - begun
        tell(spent, evaluation.steps, evaluation.means["return"])
        if spent >= job.seconds:  # a reason to stop would wait for the next checkpoint
            raise TimeUpError

    asked: dict[str, Any] = {
        "env": job.env,
        "demos": job.demos if find_method(job.method).needs_demonstrations else "",
        "steps": job.steps,
        "seed": job.seed,
    }
    usual = make_job(job.method, **asked)
    between = usual.steps_per_block // usual.settings.saving.evaluate_every
    with contextlib.suppress(TimeUpError):
        depo.train(
            job.method,
            **asked,
            out=Path(job.out),
            overrides={"evaluate_every": max(1, job.every // between)},
            callbacks=[depo.Call(look)],
            progress=False,
        )


if __name__ == "__main__":
    main()

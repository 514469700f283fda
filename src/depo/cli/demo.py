"""``depo demo``: the whole idea in one sitting."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from depo.cli.flags import parse
from depo.cli.output import print_json, stderr, stdout
from depo.core.errors import DepoError
from depo.runs.progress import ProgressBar


@dataclass(frozen=True)
class Demo:
    """Train DePO on the grid world's shipped demonstrations, carry its planner to k = 4, draw both.

    Given again, it shows what is there; a stopped one goes on.
    """

    out: str = "demo"
    """The folder for both runs and the figure."""
    seed: int = 0
    """The seed."""
    json: bool = False
    """Print the result as JSON."""


def run(argv: list[str]) -> int:
    """Train, transfer, draw."""
    flags = parse(Demo, argv, "depo demo")
    from depo.api import make_job
    from depo.core.runtime import prepare_jax
    from depo.experiments.claims import final_values
    from depo.plotting.demo import draw_demo
    from depo.plotting.figures import draw_run

    prepare_jax()
    began, out = time.perf_counter(), Path(flags.out)
    stderr.print("An expert was recorded walking a 6×6 map: states only, no actions.")
    stderr.print(
        "1. learn where it would go next (planner) and how to get there (skill), 4 actions"
    )
    first = _run(make_job("depo", steps=8_960, seed=flags.seed), out / "train")
    stderr.print("2. the map stays, the actions change to 16: keep the planner, learn a new skill")
    job = make_job("transfer", planner=first.path, seed=flags.seed, steps=2_560, env_args={"k": 4})
    second = _run(job, out / "transfer")
    for each in (first, second):
        draw_run(each)
    figure = draw_demo(first, second, out / "demo")
    scores = [r.final_scores()[0]["success"] for r in (first, second)]
    steps = [float(final_values(r, "steps_to_90")[0]) for r in (first, second)]
    seconds = time.perf_counter() - began
    if flags.json:
        keys = ("figure", "success", "success_transfer", "steps_to_90", "steps_to_90_transfer")
        print_json(dict(zip(keys, [str(figure), *scores, *steps], strict=True)))
        return 0
    for what, score, step in zip(("with 4 actions", "with 16 actions"), scores, steps, strict=True):
        stdout.print(f"{what}: success {score:.3f}, 90% after {step:,.0f} environment steps")
    stdout.print(f"{seconds:.0f} s. Open the figure: {figure}", soft_wrap=True)
    return 0


def _run(job: Any, path: Path) -> Any:
    from depo.runs.run import Run
    from depo.runs.settings_file import SETTINGS
    from depo.runs.training import go_on, start

    if not (path / SETTINGS).exists():
        return start(job, path, [ProgressBar()])
    run = Run.open(path)
    if run.job != job:
        raise DepoError(f"{path} is another run (seed or settings differ): choose another --out")
    return go_on(run, [ProgressBar()])

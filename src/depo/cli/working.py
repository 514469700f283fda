"""Working on a run in the terminal: progress, Ctrl-C, and what to look at in the end."""

from __future__ import annotations

import math
import shlex
from pathlib import Path
from typing import Any

from depo.api import free_folder
from depo.cli.output import SHOWN, print_json, print_table, progress_bar, score_text, stderr, stdout
from depo.errors import DepoError
from depo.runs.job import Job

KEPT = 0.8
"""Share of a planner's return below which a transfer leaves a question."""
REGAINED = 0.9
"""Share of it whose first time is told."""


def work_on(job: Job, out: str, *, as_json: bool) -> int:
    """Begin a run and work on it."""
    from depo.runs.training import begin
    from depo.runtime import prepare_jax

    prepare_jax()
    path = Path(out) if out else free_folder(job)
    seeds = f" × {len(job.seeds)} seeds" if len(job.seeds) > 1 else f", seed {job.seeds[0]}"
    stderr.print(
        f"{job.method} on {job.environment.label}, {job.learner}, preset {job.preset}, "
        f"{job.blocks * job.steps_per_block:,} steps{seeds} → {path}"
    )
    return continue_run(begin(job, path), as_json=as_json)


def continue_run(run: Any, *, as_json: bool) -> int:
    """Work on a run until it is finished or Ctrl-C."""
    from depo.report.figures import figure_of_run
    from depo.runs.training import Interrupted, go_on

    total = run.job.blocks * run.job.steps_per_block
    done = run.latest()[1].block * run.job.steps_per_block
    resume = f"resume with: depo resume {shlex.quote(str(run.path))}"
    with progress_bar() as progress:
        task = progress.add_task(run.job.method, total=total, completed=done, score="")

        def report(steps: int, _: int, rows: list[dict[str, float]]) -> None:
            progress.update(task, completed=steps, score=score_text(rows))

        try:
            go_on(run, report, progress.console.print)
        except Interrupted:
            progress.stop()
            stderr.print(f"stopped, all saved up to here; {resume}", soft_wrap=True)
            return 130
        except KeyboardInterrupt:
            progress.stop()
            stderr.print(f"stopped at once; the last checkpoint is whole; {resume}", soft_wrap=True)
            return 130
    figure = figure_of_run(run)
    scores = run.final_scores()
    if not scores:
        raise DepoError(f"{run.path} is finished and its metrics.csv is gone: put it back")
    if as_json:
        print_json({"run": str(run.path), "figure": str(figure), "scores": scores})
        return 0
    names = [name for name in SHOWN if name in scores[0]]
    rows = [[int(row["seed"]), *(row[name] for name in names)] for row in scores]
    steps = int(scores[0]["env_steps"])
    print_table(f"{run.path} at {steps:,} steps (last evaluation)", ["seed", *names], rows)
    planner = run.path / "planner" / f"seed-{run.job.seeds[0]}"
    if planner.exists():
        stdout.print(f"planner: {planner}", soft_wrap=True)
    stdout.print(f"figure:  {figure}", soft_wrap=True)
    if regained := _regained(run):
        stdout.print(regained, soft_wrap=True)
    if poor := [int(row["seed"]) for row in scores if row.get("return_kept", 1.0) < KEPT]:
        stdout.print(
            f"seed {poor[0]} keeps less than {KEPT:.0%} of its planner's return: is it the plan or "
            f"the skill? depo reachability {shlex.quote(str(run.path))} --seed {poor[0]}",
            soft_wrap=True,
        )
    return 0


def _regained(run: Any) -> str:
    """When each seed of a transfer first had most of its planner's return back, where known."""
    from depo.evaluation.statistics import first_crossing
    from depo.report.curves import curve

    steps, kept = curve(run, "return_kept")
    told = []
    for seed, column in zip(sorted(run.job.seeds), kept.T, strict=False):  # nothing kept: no column
        if math.isfinite(column[-1]):
            first = first_crossing(steps, column, REGAINED)
            when = f"{first:,.0f} steps" if math.isfinite(first) else "never"
            told.append(f"{when} (seed {seed})")
    return f"{REGAINED:.0%} of the planner's return first after: {', '.join(told)}" if told else ""

"""Working on a run in the terminal: progress, Ctrl-C, and what to look at in the end."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from depo.cli.dry_run import tell
from depo.cli.many import check_many, work_on_seeds
from depo.cli.output import print_json, print_table, score_cell, stderr, stdout
from depo.cli.training_form import Asked
from depo.core.errors import DepoError
from depo.core.metrics import SUMMARY, shown_in
from depo.runs.callbacks import Callback, StopWhenNothingImproves
from depo.runs.free_folder import chosen_folder, refuse_taken
from depo.runs.job import Job
from depo.runs.progress import ProgressBar
from depo.runs.run import POLICY, Run
from depo.runs.settings_file import SETTINGS
from depo.runs.tracking import Track

KEPT = 0.8
"""Share of a planner's return below which a transfer leaves a question."""
REGAINED = 0.9
"""Share of it whose first time is told."""


def work_on(asked: Asked) -> int:
    """Begin a run and work on it, or say what that would be."""
    common = asked.common
    check_many(common.engine, common.workers)
    if common.patience < 0:
        raise DepoError(f"--patience {common.patience} is negative: it counts evaluations")
    is_many = common.engine != "local" or common.workers > 0
    if is_many and common.patience:
        raise DepoError(
            f"--patience {common.patience} watches the mean of seeds that learn together: leave "
            "--engine and --workers out"
        )
    if common.out and not (is_many and not (Path(common.out) / SETTINGS).exists()):
        refuse_taken(Path(common.out))
    track = Track(common.track)
    if common.dry_run:
        return tell(asked.job, common.out, as_json=common.json)
    from depo.analysis.recordings.before_training import check_before_training
    from depo.core.runtime import prepare_jax

    prepare_jax()
    for sentence in check_before_training(asked.job, strict=common.strict):
        stderr.print(f"WARNING, {sentence}", soft_wrap=True, style="bold red")
    if is_many:
        return work_on_seeds(asked.job, common)
    with chosen_folder(asked.job, common.out) as path:
        watching = [StopWhenNothingImproves(patience=common.patience)] if common.patience else []
        return _begin(asked.job, path, [track, *watching], as_json=common.json)


def _begin(job: Job, path: Path, callbacks: Sequence[Callback], *, as_json: bool) -> int:
    from depo.runs.training import start

    def work(bar: ProgressBar) -> Run:
        return start(job, path, [Banner(), bar, *callbacks], bar.say)

    return _watch(work, path, as_json=as_json)


class Banner(Callback):
    """Says what begins, once nothing that was asked for is refused any more."""

    def on_start(self, run: Run) -> None:
        """One line."""
        job = run.job
        seeds = f" × {len(job.seeds)} seeds" if len(job.seeds) > 1 else f", seed {job.seeds[0]}"
        stderr.print(
            f"{job.method} on {job.environment.label}, {job.learner}, preset {job.preset}, "
            f"{job.total_steps:,} steps{seeds} → {run.path}"
        )
        if job.rounding:
            stderr.print(job.rounding, soft_wrap=True)


def continue_run(run: Run, track: Track, *, as_json: bool) -> int:
    """Work on a run until it is finished or Ctrl-C."""
    from depo.runs.training import go_on

    return _watch(lambda bar: go_on(run, [bar, track], bar.say), run.path, as_json=as_json)


def _watch(work: Callable[[ProgressBar], Run], path: Path, *, as_json: bool) -> int:
    """Work under a progress bar; then say what there is to look at."""
    from depo.runs.stop_request import Interrupted

    resume = f"resume with: depo resume {shlex.quote(str(path))}"
    try:
        run = work(ProgressBar())
    except Interrupted as stop:
        stderr.print(f"stopped, saved up to step {stop.steps:,}; {resume}", soft_wrap=True)
        return 128 + stop.number
    except KeyboardInterrupt:
        saved = f"the last checkpoint is whole; {resume}" if path.exists() else "nothing was saved"
        stderr.print(f"stopped at once; {saved}", soft_wrap=True)
        return 130
    return _conclude(run, as_json=as_json)


def _conclude(run: Run, *, as_json: bool) -> int:
    """The last scores, and the files to look at."""
    from depo.plotting.figures import draw_run

    figure = draw_run(run)
    scores = run.final_scores()
    if not scores:
        raise DepoError(f"{run.path} is finished and its metrics.csv is gone: put it back")
    if as_json:
        print_json({"run": str(run.path), "figure": str(figure), "scores": scores})
        return 0
    shown = shown_in(SUMMARY, scores[0])
    rows = [[int(row["seed"]), *(score_cell(m.name, row[m.name]) for m in shown)] for row in scores]
    rows += [[name, *cells] for name, cells in _ends(run, [m.name for m in shown]).items()]
    steps = int(scores[0]["env_steps"])
    columns = ["seed", *(m.title for m in shown)]
    print_table(f"{run.path} at {steps:,} steps (last evaluation)", columns, rows)
    planner = run.path / "planner" / f"seed-{run.job.seeds[0]}"
    if planner.exists():
        stdout.print(f"planner: {planner}", soft_wrap=True)
    if run.is_finished() and not (run.path / POLICY).exists():
        said = "policy:  no folder can hold its class, which is the method's own; run.policy() acts"
        stdout.print(said, soft_wrap=True)
    stdout.print(f"figure:  {figure}", soft_wrap=True)
    if reason := run.stop_reason():
        goes_on = f"depo resume {shlex.quote(str(run.path))}"
        stdout.print(f"stopped early: {reason}; to go on: {goes_on}", soft_wrap=True)
    if regained := _regained(run):
        stdout.print(regained, soft_wrap=True)
    if poor := [int(row["seed"]) for row in scores if row.get("return_kept", 1.0) < KEPT]:
        stdout.print(
            f"seed {poor[0]} keeps less than {KEPT:.0%} of its planner's return: is it the plan or "
            f"the skill? depo reachability {shlex.quote(str(run.path))} --seed {poor[0]}",
            soft_wrap=True,
        )
    return 0


def _ends(run: Run, names: Sequence[str]) -> dict[str, list[str]]:
    """What a random policy and the expert have of some metrics, where anything of it is known."""
    from depo.analysis.yardstick import yardstick_of

    known = yardstick_of(run)
    ends = {"random": known.random, "expert": known.expert}
    return {
        end: [score_cell(name, scores[name]) if name in scores else "" for name in names]
        for end, scores in ends.items()
        if any(name in scores for name in names)
    }


def _regained(run: Any) -> str:
    """When each seed of a transfer first had most of its planner's return back, where known."""
    from depo.analysis.curves import curve
    from depo.evaluation.statistics import first_crossing

    steps, kept = curve(run, "return_kept")
    told = []
    for seed, column in zip(sorted(run.job.seeds), kept.T, strict=False):  # nothing kept: no column
        if math.isfinite(column[-1]):
            first = first_crossing(steps, column, REGAINED)
            when = f"{first:,.0f} steps" if math.isfinite(first) else "never"
            told.append(f"{when} (seed {seed})")
    return f"{REGAINED:.0%} of the planner's return first after: {', '.join(told)}" if told else ""

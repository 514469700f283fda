"""Many runs in the terminal: on this machine, on a Ray cluster, or as a SLURM script."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from depo.cli.output import print_json, progress_bar, stderr, stdout
from depo.cli.runs import print_runs, row_of
from depo.cli.training_flags import CommonFlags
from depo.core.errors import DepoError
from depo.core.runtime import cores
from depo.runs.free_folder import chosen_folder
from depo.runs.job import Job

if TYPE_CHECKING:
    from depo.experiments.engines import Engine
    from depo.experiments.sweep import Sweep

Watch = Callable[[str, int, int], None]
Say = Callable[[str], None]


def check_many(engine: Engine, workers: int) -> None:
    """Refuse what could not do any run, before anything is said or written."""
    if workers < 0:
        raise DepoError(f"--workers {workers} is negative: it is how many runs at once")
    if engine != "local":
        from depo.experiments.engines import check_engine

        check_engine(engine)


def work_on_seeds(job: Job, flags: CommonFlags) -> int:
    """Train every seed as a run of its own."""
    from depo.experiments.sweep import PlannedRun, Sweep

    if job.rounding:
        stderr.print(job.rounding, soft_wrap=True)
    with chosen_folder(job, flags.out) as folder:
        own = portable(job)
        plan = {f"seed-{seed}": PlannedRun(replace(own, seeds=(seed,))) for seed in own.seeds}
        sweep = Sweep(folder.absolute(), plan, plainly=True)
        return execute(sweep, flags.engine, flags.workers, as_json=flags.json, trust=flags.trust)


def portable(job: Job) -> Job:
    """The job with files by their whole names: other machines have other current folders."""
    named = {name: Path(getattr(job, name) or "-") for name in ("demos", "skill", "planner")}
    there: dict[str, Any] = {
        name: str(path.absolute())
        for name, path in named.items()
        if (path.is_file() if name == "demos" else path.is_dir())
    }
    return replace(job, **there)


def execute(
    sweep: Sweep, engine: Engine, workers: int, *, as_json: bool, trust: bool = False
) -> int:
    """Do the runs that are left, or write the script that does; then say how they came out."""
    left = sweep.left()
    if engine == "slurm" and left:
        return hand_to_slurm(sweep, workers, as_json=as_json, trust=trust)
    from depo.experiments.stored_sweep import save_sweep

    save_sweep(sweep)
    at_once = workers or (len(cores()) if engine == "local" else 0)
    stderr.print(f"{len(sweep.plan)} runs, {len(left)} to do → {sweep.folder}", soft_wrap=True)
    try:
        with watching() as (watch, say):
            sweep.execute(workers=at_once, engine=engine, watch=watch, say=say)
    except KeyboardInterrupt:
        stderr.print("stopped; give the same command again and it goes on from here")
        return 130
    rows = [row_of(sweep.path(label)) for label in sweep.plan]
    if as_json:
        print_json({"folder": str(sweep.folder), "runs": rows})
    else:
        print_runs(rows)
    return 0


def hand_to_slurm(
    sweep: Sweep, workers: int, *, as_json: bool, trust: bool = False, where: Path | None = None
) -> int:
    """Write the array script to the sweep's folder, or ``where``, and say how to submit it."""
    from depo.experiments.slurm import write_script
    from depo.experiments.stored_sweep import tasks

    script, count = write_script(sweep, workers, trust=trust, where=where), len(tasks(sweep))
    if as_json:
        print_json({"folder": str(sweep.folder), "script": str(script), "tasks": count})
        return 0
    stdout.print(f"{count} tasks; submit them: sbatch {shlex.quote(str(script))}", soft_wrap=True)
    stdout.print(f"watch them: depo runs {shlex.quote(str(sweep.folder))} --watch", soft_wrap=True)
    return 0


@contextmanager
def watching() -> Iterator[tuple[Watch, Say]]:
    """A bar for each run, and a way to say something above them."""
    with progress_bar() as progress:
        bars: dict[str, Any] = {}

        def watch(label: str, done: int, total: int) -> None:
            if label not in bars:
                bars[label] = progress.add_task(label, total=total, score="")
            progress.update(bars[label], completed=done)

        yield watch, progress.console.print

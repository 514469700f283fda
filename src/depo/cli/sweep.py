"""``depo sweep FILE.toml``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from depo.cli.flags import parse
from depo.cli.output import print_json, print_rows, stderr, stdout
from depo.core.errors import DepoError

if TYPE_CHECKING:
    from depo.experiments.sweep import Sweep


@dataclass(frozen=True)
class SweepFlags:
    """Do the runs of a table: here, on a Ray cluster, or as a SLURM array.

    FILE.toml has a table [runs.NAME] for each, of a method and flags of 'depo train'; [defaults]
    are for all. Every seed is a run of its own on one core, OUT/NAME/seed-0 and so on. 'after =
    "NAME"' makes a transfer of the planners of another row. The same command again goes on with
    what is not finished. FOLDER is one that a sweep was begun in.
    """

    source: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE|FOLDER")]
    """A TOML file of runs, or the folder of a sweep."""
    out: str = ""
    """The folder of all runs; empty: sweeps/NAME, as the file is called."""
    engine: Literal["local", "ray", "slurm"] = "local"
    """Processes of this machine, a Ray cluster (needs the extra), or a SLURM array, whose script is
    written."""
    workers: int = 0
    """Runs at the same time, one core each; 0: as many as there are cores, here or there."""
    task: int | None = None
    """Do only this task of a FOLDER, in this process: what a SLURM script calls."""
    dry_run: bool = False
    """Only say which runs there are; nothing is written."""
    trust: bool = False
    """Import the modules that the file names."""
    json: bool = False
    """Print the result as JSON."""


def run(argv: list[str]) -> int:
    """Sweep."""
    flags = parse(SweepFlags, argv, "depo sweep")
    from depo.cli.many import check_many, execute

    check_many(flags.engine, flags.workers)
    sweep = _sweep(flags)
    if flags.task is not None:
        return _do_task(sweep, flags.task)
    if flags.dry_run or flags.engine == "local":  # elsewhere there may be other files than here
        from depo.cli.dry_run import check_sources

        check_sources(sweep, sweep.left())
    if flags.dry_run:
        return _tell(sweep, as_json=flags.json)
    return execute(sweep, flags.engine, flags.workers, as_json=flags.json, trust=flags.trust)


def _sweep(flags: SweepFlags) -> Sweep:
    from depo.cli.many import portable
    from depo.cli.run_table import plan_of
    from depo.experiments.stored_sweep import load_sweep
    from depo.experiments.sweep import Sweep

    source = Path(flags.source)
    if source.is_dir():
        if flags.out:
            raise DepoError(f"{source} is a sweep's folder: leave --out out")
        return load_sweep(source.absolute(), trust=flags.trust)
    if flags.task is not None:
        raise DepoError("--task is for the folder of a sweep that was written, not for its table")
    plan = plan_of(source, trust=flags.trust)
    folder = Path(flags.out) if flags.out else Path("sweeps") / source.stem
    whole = {label: replace(p, job=portable(p.job)) for label, p in plan.items()}
    return Sweep(folder.absolute(), whole, plainly=True)


def _do_task(sweep: Sweep, number: int) -> int:
    from depo.experiments.stored_sweep import do_task
    from depo.runs.stop_request import Interrupted

    try:
        done = do_task(sweep, number, lambda text: stderr.print(text, soft_wrap=True))
    except Interrupted as stop:
        stderr.print(f"stopped, saved up to step {stop.steps:,}; the task goes on from there")
        return 128 + stop.number
    stdout.print(f"finished: {', '.join(done)}", soft_wrap=True)
    return 0


def _tell(sweep: Sweep, *, as_json: bool) -> int:
    """What would be done, a line for each run."""
    left = sweep.left()
    rows: list[dict[str, Any]] = [
        {
            "run": label,
            "method": planned.job.method,
            "environment": planned.job.environment.label,
            "env_steps": planned.job.total_steps,
            "after": planned.after or None,
            "status": "to do" if label in left else "finished",
        }
        for label, planned in sweep.plan.items()
    ]
    if as_json:
        print_json({"folder": str(sweep.folder), "runs": rows})
        return 0
    head = ["run", "method", "environment", "env steps", "after", "status"]
    print_rows(f"{sweep.folder}: {len(rows)} runs", head, [list(row.values()) for row in rows])
    stdout.print("nothing was written")
    return 0

"""``depo runs``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.padding import Padding

from depo.cli.flags import parse
from depo.cli.output import print_json, print_wide_table, score_text, stdout
from depo.core.errors import DepoError, printable
from depo.core.metrics import find_metric

DAMAGED, NOT_INSTALLED = "damaged: ", "its package is not installed: "
"""How the status of a run begins that cannot be read, and of one that could be elsewhere."""


@dataclass(frozen=True)
class Runs:
    """A table of runs: status, steps, scores, time."""

    folder: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")] = "runs"
    """Where to look, with all folders below."""
    watch: bool = False
    """Show the table again whenever it changes, until no run is going on; Ctrl-C stops."""
    json: bool = False
    """Print the result as JSON."""


def run(argv: list[str]) -> int:
    """List runs."""
    flags = parse(Runs, argv, "depo runs")
    from depo.runs.run import find_runs

    if not Path(flags.folder).is_dir():
        raise DepoError(f"{flags.folder} is not a folder: 'depo runs FOLDER' looks below FOLDER")
    if flags.watch:
        from depo.cli.watching import watch_runs

        return watch_runs(Path(flags.folder), as_json=flags.json)
    found = [row_of(path) for path in find_runs(Path(flags.folder))]
    if flags.json:
        print_json(found)
    elif not found:
        stdout.print(f"no runs below {flags.folder}: 'depo train depo' makes one")
    else:
        print_runs(found)
    return 0


def row_of(path: Path) -> dict[str, Any]:
    """What the table says of one run; of one that cannot be read, what is wrong with it."""
    from depo.runs.made_with import NotInstalledError
    from depo.runs.run import Run

    try:
        return _describe(Run.open(path))
    except (DepoError, OSError) as error:
        columns = ("method", "environment", "seeds", "status", "env_steps", "of", "score")
        why = NOT_INSTALLED if isinstance(error, NotInstalledError) else DAMAGED
        row = dict.fromkeys(columns) | {"status": f"{why}{error}", "seconds": None}
        return {"run": str(path)} | row


def print_runs(found: Sequence[Mapping[str, Any]]) -> None:
    """A table; where that is too wide for the terminal, two lines for each run. What is wrong with
    those that cannot be read comes below it."""
    rows = [{**row, "status": row["status"].partition(":")[0]} for row in found]
    called = {"env_steps": find_metric("env_steps").title}
    headings = [called.get(name, name) for name in found[0]]
    if not print_wide_table("runs", headings, [list(row.values()) for row in rows]):
        for row in rows:
            stdout.print(row["run"], soft_wrap=True)
            stdout.print(Padding(printable(_line(row)), (0, 0, 0, 2)))
    for broken in found:
        if broken["status"].startswith(DAMAGED):
            stdout.print(f"{broken['run']} is {broken['status']}", soft_wrap=True)
        elif broken["status"].startswith(NOT_INSTALLED):
            stdout.print(broken["status"].removeprefix(NOT_INSTALLED), soft_wrap=True)


def _line(row: Mapping[str, Any]) -> str:
    """What a row says, in one line.

    >>> row = {"method": "bco", "environment": "hopper-v5", "seeds": 2, "status": "finished"}
    >>> _line(row | {"env_steps": 2000, "of": 2000, "score": "return 12.0", "seconds": 3.5})
    'bco on hopper-v5, 2 seeds, finished, 2,000 of 2,000 steps, return 12.0, 3.5 s'
    """
    if row["method"] is None:
        return str(row["status"])
    said = (
        f"{row['method']} on {row['environment']}",
        "1 seed" if row["seeds"] == 1 else f"{row['seeds']} seeds",
        row["status"],
        f"{row['env_steps']:,} of {row['of']:,} steps",
        row["score"],
        f"{row['seconds']:,} s",
    )
    return ", ".join(filter(None, said))


def _describe(run: Any) -> dict[str, Any]:
    job = run.job
    return {
        "run": str(run.path),
        "method": job.method,
        "environment": job.environment.label,
        "seeds": len(job.seeds),
        "status": run.status(),
        "env_steps": run.steps_done(),
        "of": job.total_steps,
        "score": score_text(run.final_scores()),
        "seconds": round(run.seconds(), 1),
    }

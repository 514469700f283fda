"""``depo runs``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from depo.cli.flags import parse
from depo.cli.output import print_json, print_table, score_text, stdout
from depo.errors import DepoError


@dataclass(frozen=True)
class Runs:
    """A table of runs: status, steps, scores, time."""

    folder: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")] = "runs"
    """Where to look, with all folders below."""
    json: bool = False
    """Print the result as JSON."""


def run(argv: list[str]) -> int:
    """List runs."""
    flags = parse(Runs, argv, "depo runs")
    from depo.runs.run import Run, find_runs

    if not Path(flags.folder).is_dir():
        raise DepoError(f"{flags.folder} is not a folder: 'depo runs FOLDER' looks below FOLDER")
    found: list[dict[str, Any]] = []
    for path in find_runs(Path(flags.folder)):
        try:
            found.append(_describe(Run.open(path)))
        except (DepoError, OSError) as error:
            columns = ("method", "environment", "seeds", "status", "env_steps", "of", "score")
            row = dict.fromkeys(columns) | {"status": f"damaged: {error}", "seconds": None}
            found.append({"run": str(path)} | row)
    if flags.json:
        print_json(found)
    elif not found:
        stdout.print(f"no runs below {flags.folder}: 'depo train depo' makes one")
    else:
        print_table("runs", list(found[0]), [list(row.values()) for row in found])
    return 0


def _describe(run: Any) -> dict[str, Any]:
    job = run.job
    return {
        "run": str(run.path),
        "method": job.method,
        "environment": job.environment.label,
        "seeds": len(job.seeds),
        "status": run.status(),
        "env_steps": run.latest()[1].block * job.steps_per_block,
        "of": job.blocks * job.steps_per_block,
        "score": score_text(run.final_scores()),
        "seconds": round(run.seconds(), 1),
    }

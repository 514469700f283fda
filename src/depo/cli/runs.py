"""``depo runs``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

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
    from depo.runs.run import find_runs

    if not Path(flags.folder).is_dir():
        raise DepoError(f"{flags.folder} is not a folder: 'depo runs FOLDER' looks below FOLDER")
    found = []
    for run in find_runs(Path(flags.folder)):
        job, scores = run.job, run.final_scores()
        steps = run.latest()[1].block * job.steps_per_block
        found.append(
            {
                "run": str(run.path),
                "method": job.method,
                "environment": job.environment.label,
                "seeds": len(job.seeds),
                "status": run.status(),
                "env_steps": steps,
                "of": job.blocks * job.steps_per_block,
                "score": score_text(scores),
                "seconds": round(run.seconds(), 1),
            }
        )
    if flags.json:
        print_json(found)
    elif not found:
        stdout.print(f"no runs below {flags.folder}: 'depo train depo' makes one")
    else:
        print_table("runs", list(found[0]), [list(row.values()) for row in found])
    return 0

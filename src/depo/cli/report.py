"""``depo report RUN…``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from depo.cli.flags import parse
from depo.cli.output import print_json, stdout


@dataclass(frozen=True)
class Report:
    """One page of some runs that opens anywhere: curves, tables, films, settings, how to repeat.

    All is inside the file, and nothing is fetched. Runs in the same environment are compared.
    """

    runs: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="RUN…")]
    """Folders of runs."""
    out: Annotated[str, tyro.conf.arg(aliases=["-o"])] = "report.html"
    """The file to write."""
    curves: tuple[str, ...] = ()
    """Other people's curves, FILE or LABEL=FILE (files of one label are its seeds): a
    Stable-Baselines3 monitor, a TensorBoard export, or a CSV with columns step and return."""
    no_measure: bool = False
    """Play nothing: leave out the random policy where it was not played on this machine yet."""
    trust: bool = False
    """Import the modules that the runs name, though somebody else made them."""
    json: bool = False
    """Print the result as JSON."""


def run(argv: list[str]) -> int:
    """Report."""
    flags = parse(Report, argv, "depo report")
    from depo.analysis.report.page import write_report
    from depo.runs.run import Run

    opened = [Run.open(path, trust=flags.trust) for path in flags.runs]
    path = write_report(opened, Path(flags.out), curves=flags.curves, measure=not flags.no_measure)
    size = path.stat().st_size
    if flags.json:
        print_json({"report": str(path), "bytes": size, "runs": list(flags.runs)})
    else:
        stdout.print(f"report: {path} ({size / 1e6:.1f} MB)", soft_wrap=True)
    return 0

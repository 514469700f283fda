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
    """Folders of runs, or of results of 'depo reproduce'."""
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
    from depo.analysis.results import is_results
    from depo.experiments.judged import claims_about
    from depo.runs.run import Run

    results = [Path(path) for path in flags.runs if is_results(Path(path))]
    opened = [Run.open(x, trust=flags.trust) for x in flags.runs if Path(x) not in results]
    path = write_report(
        opened,
        Path(flags.out),
        curves=flags.curves,
        results=results,
        claims=claims_about,
        measure=not flags.no_measure,
    )
    size = path.stat().st_size
    if flags.json:
        print_json({"report": str(path), "bytes": size, "runs": list(flags.runs)})
    else:
        stdout.print(f"report: {path} ({size / 1e6:.1f} MB)", soft_wrap=True)
    return 0

"""``depo demos import``: recordings as loggers and other projects leave them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from depo.cli.flags import parse
from depo.cli.output import print_json, print_table, stderr, stdout
from depo.core.errors import DepoError, printable
from depo.data.importing.pipeline import Imported, ImportSettings
from depo.data.importing.report import FileReport
from depo.environments.arguments import parse_arguments
from depo.environments.recordings import import_for

SHOWN = 40
"""Files in the printed table; the others are summed up."""


@dataclass(frozen=True)
class Import:
    """Make demonstrations of recordings: files, folders or patterns of CSV/TSV (gzipped or not),
    Parquet, NPZ, HDF5, Minari, LeRobot datasets and LocoMuJoCo trajectories.

    Missing values and gaps up to --max-gap are interpolated, longer ones cut the episode; what is
    shorter than --shortest is dropped. A report says so for each file.
    """

    paths: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="PATH")]
    """Files, folders, patterns, or the id of a Minari dataset."""
    out: str
    """The .npz file to write."""
    env: str = ""
    """The environment they are for: states are one of its steps apart, and as long as its own."""
    env_args: tuple[str, ...] = ()
    """Arguments of the environment's constructor, NAME=VALUE, values as JSON."""
    observe: str = ""
    """What of an observation is a state, as in a training."""
    settings: tyro.conf.OmitArgPrefixes[ImportSettings] = field(default_factory=ImportSettings)
    figure: str = ""
    """Also draw the result, in this PNG."""
    json: bool = False
    """Print the result as JSON."""


def run(argv: list[str]) -> int:
    """Read, write, and say what became of each file."""
    flags = parse(Import, argv, "depo demos import")
    if not flags.paths:
        raise DepoError("no recordings: depo demos import PATH… --out FILE.npz")
    with _bar() as progress:
        imported = import_for(
            flags.paths,
            flags.out,
            flags.settings,
            env=flags.env,
            env_args=parse_arguments(flags.env_args),
            observe=flags.observe,
            progress=progress,
        )
    if flags.figure:
        from depo.plotting.imported import draw_imported

        draw_imported(imported, flags.figure)
    if flags.json:
        print_json({**_about(imported), "files": [r.to_dict() for r in imported.reports]})
        return 0
    _print_reports(imported.reports)
    print_table(str(imported.file), ["what", "value"], list(_about(imported).items()))
    return 0


def _about(imported: Imported) -> dict[str, Any]:
    reports = imported.reports
    ranges = [
        f"{name} {low:.4g} to {high:.4g}"
        for name, low, high in zip(imported.names, imported.low, imported.high, strict=True)
    ]
    about: dict[str, Any] = {
        "file": str(imported.file),
        "episodes": sum(report.episodes for report in reports),
        "states": sum(report.states for report in reports),
        "dimension": len(imported.names),
        "features": ", ".join(ranges),
    }
    if imported.time_step is not None:
        about["hz"] = round(1 / imported.time_step, 6)
    return about


def _print_reports(reports: list[FileReport]) -> None:
    columns = ["file", "rows", "rate", "episodes", "states", "repaired", "cuts", "dropped"]
    rows = [_row(Path(report.file).name, [report]) for report in reports[:SHOWN]]
    if len(reports) > SHOWN:
        rows.append(_row(f"{len(reports) - SHOWN} more", reports[SHOWN:]))
    print_table("recordings", columns, rows)
    said: dict[str, list[str]] = {}
    for report in reports:
        for note in report.notes:
            said.setdefault(note, []).append(Path(report.file).name)
    for note, names in list(said.items())[:SHOWN]:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        stdout.print(f"{names[0]}{more}: {note}")


def _row(name: str, reports: list[FileReport]) -> list[str]:
    def total(*names: str) -> int:
        return sum(getattr(report, name) for report in reports for name in names)

    rate = reports[0].recorded_hz
    dropped = []
    if pieces := total("short_pieces"):
        dropped.append(f"{pieces:,} pieces ({total('short_states'):,} states)")
    if rows := total("untimed", "repeated", "unlabelled"):
        dropped.append(f"{rows:,} rows")
    return [
        name,
        f"{total('rows'):,}",
        f"{rate:.4g} Hz" if rate is not None else "–",
        f"{total('episodes'):,}",
        f"{total('states'):,}",
        f"{total('repaired'):,}",
        f"{total('splits'):,}",
        ", ".join(dropped) or "0",
    ]


@contextmanager
def _bar() -> Iterator[Any]:
    """A function that is told the file and the share of all bytes that was read."""
    with Progress(
        TextColumn("{task.description:24}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=stderr,
        transient=True,  # the table, or what is wrong, says the rest
        disable=not stderr.is_terminal,
    ) as bar:
        task = bar.add_task("looking at files", total=1.0)

        def progress(file: str, share: float) -> None:
            bar.update(task, completed=share, description=printable(Path(file).name))

        yield progress

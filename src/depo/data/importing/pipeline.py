"""From paths to one file of demonstrations: every file read, brought to one form, and reported."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from depo.core.errors import DepoError
from depo.core.files import size_of
from depo.data.demonstrations import Demonstrations
from depo.data.importing.file_import import FileImport
from depo.data.importing.plan import ImportSettings, Plan, make_plans
from depo.data.importing.report import FileReport
from depo.data.importing.sources import find_recordings, open_tables
from depo.data.importing.target import Target
from depo.data.importing.writing import EpisodeWriter, Shown, episode_writer, finish

__all__ = ["ImportSettings", "Imported", "Progress", "import_files"]

MOST_FILES = 100
"""Whose reports are kept in the demonstrations' metadata."""
Progress = Callable[[str, float], None]
"""Is told which file is read, and the share of all bytes that has been read."""


class Imported(NamedTuple):
    """What an import has made: the file, what became of each recording, and what to draw."""

    file: Path
    reports: list[FileReport]
    names: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray
    time_step: float | None
    shown: list[Shown]

    def demonstrations(self) -> Demonstrations:
        """The demonstrations, read from the file."""
        return Demonstrations.load(self.file)


def import_files(
    paths: Sequence[str | Path],
    out: str | Path,
    settings: ImportSettings | None = None,
    *,
    step: float | None = None,
    target: Target | None = None,
    progress: Progress = lambda file, share: None,
) -> Imported:
    """Make demonstrations of recordings and say what became of them.

    ``step`` is the environment's step in seconds (``settings.hz`` beats it), ``target`` what it
    says of its states.
    """
    settings, target = settings or ImportSettings(), target or Target()
    out = Path(out)
    if out.suffix != ".npz":
        raise DepoError(f"--out {out} does not end in .npz: demonstrations are one such file")
    step = 1 / settings.hz if settings.hz else step
    found = find_recordings(paths)
    # what an earlier import left in the same folder is no recording
    tables = open_tables([f for f in found if f.path.resolve() != out.resolve()] or found)
    plans, skipped = make_plans(tables, settings, target)
    names = plans[0].selection.names
    is_finite = settings.finite or all(plan.table.is_finite for plan in plans)
    target.check(names, is_finite)
    if step is None:
        target.check_step(rows_are_steps=all(plan.rows_are_steps for plan in plans))
    target.compare(names, plans[0].report)
    writing = episode_writer(out, names, settings.shortest, is_finite)
    with writing as writer, _closing(plans):
        steps = _read(plans, settings, None if is_finite else step, writer, progress)
        reports = [*skipped, *(plan.report for plan in plans)]
        _check_kept(reports, settings)
        time_step = float(np.median(steps)) if steps else None
        finish(writer, out, _metadata(reports, plans, time_step, target.environment))
    assert writer.low is not None
    assert writer.high is not None
    return Imported(out, reports, names, writer.low, writer.high, time_step, writer.shown)


@contextlib.contextmanager
def _closing(plans: Sequence[Plan]) -> Iterator[None]:
    """Whatever happens, what children have converted is let go."""
    try:
        yield
    finally:
        for plan in plans:
            plan.table.close()


def _read(
    plans: Sequence[Plan],
    settings: ImportSettings,
    step: float | None,
    writer: EpisodeWriter,
    progress: Progress,
) -> list[float]:
    """Bring every file to the writer; the seconds between its states, of each that says them."""
    sizes = [size_of(plan.table.path) for plan in plans]
    done, steps = 0, list[float]()
    for plan, size in zip(plans, sizes, strict=True):
        one = FileImport(plan, settings, step, writer)
        try:
            for share in one.run():
                progress(str(plan.table.path), (done + share * size) / max(1, sum(sizes)))
        except DepoError as error:
            if not settings.skip_unreadable:
                raise
            plan.report.note(f"left off: {error}")
            writer.end(plan.report)
        done += size
        steps += [one.time_step] if one.time_step else []
    return steps


def _check_kept(reports: Sequence[FileReport], settings: ImportSettings) -> None:
    if any(report.episodes for report in reports):
        return
    pieces, splits = (sum(getattr(r, n) for r in reports) for n in ("short_pieces", "splits"))
    notes = [note for report in reports for note in report.notes]
    raise DepoError(
        f"no episode of {settings.shortest} or more states in {_many(len(reports), 'file')} "
        f"({_many(sum(r.rows for r in reports), 'row')}, {_many(pieces, 'shorter piece')}, "
        f"{_many(splits, 'gap')}"
        f"{'; ' + notes[0] if notes else ''}): raise --max-gap, lower --shortest, or look at the "
        "columns with --columns"
    )


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def _metadata(
    reports: Sequence[FileReport],
    plans: Sequence[Plan],
    time_step: float | None,
    environment: str,
) -> dict[str, Any]:
    said = [{**r.to_dict(), "file": Path(r.file).name} for r in reports[:MOST_FILES]]
    environment = environment or next((p.table.environment for p in plans), "")
    names = ", ".join(Path(r.file).name for r in reports[:3])
    more = f" and {len(reports) - 3} more" if len(reports) > 3 else ""
    found: dict[str, Any] = {"source": f"recordings {names}{more}", "import": {"files": said}}
    if environment:
        found["environment"] = environment
    if time_step is not None:
        found["time_step"] = time_step
    return found

"""From paths to one file of demonstrations: every file read, brought to one form, and reported."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np

from depo.core.codec import check_fields
from depo.core.errors import DepoError, readable
from depo.data.demonstrations import Demonstrations
from depo.data.importing.clock import guessed_unit
from depo.data.importing.columns import QUATERNION, Selection, choose, resolve_one
from depo.data.importing.report import FileReport
from depo.data.importing.resampling import TURN, Resampler, Stretch
from depo.data.importing.segments import Segmenter, typical_step
from depo.data.importing.sources import find_recordings, open_tables
from depo.data.importing.table import Rows, Table
from depo.data.importing.units import ANGLE, TIME, Unit, parse_unit, time_unit
from depo.data.importing.velocities import Differentiator
from depo.data.importing.writing import EpisodeWriter, Shown, episode_writer, finish

Rate = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=86_400)]
Length = Annotated[int, msgspec.Meta(ge=2)]
GAP = 5.0
"""Rows that may be missing, where nothing else is said."""
EPISODES = ("episode", "episode_index", "episode_id", "trial", "trial_id", "trajectory_id")
"""What a column is called, in lower case, whose changes begin episodes."""
UNEVEN, OFTEN = 0.2, 0.05
"""Steps that differ by more from the median, and the share of them that is worth a word."""
MOST_FILES = 100
"""Whose reports are kept in the demonstrations' metadata."""
Progress = Callable[[str, float], None]
"""Is told which file is read, and the share of all bytes that has been read."""


@dataclass(frozen=True)
class ImportSettings:
    """What becomes of the columns and rows of recordings."""

    columns: tuple[str, ...] = ()
    """Columns that are the state, in this order: [NAME=]COLUMN[..COLUMN][:WORD…], words being a
    unit (deg, mm, mm/s; headers like 'hip [deg]' say it themselves), angle, linear, wrapped, rate
    or quaternion; none: all columns of numbers."""
    time: str = ""
    """The column with the time, COLUMN[:UNIT]; empty: the one that is called so."""
    episode: str = ""
    """A column whose changes begin an episode; empty: one called episode, else each file is one."""
    hz: Rate = 0.0
    """States in a second to resample to; 0: the environment's if there is one, else as recorded."""
    recorded_hz: Rate = 0.0
    """Rows in a second, for files without a column of times."""
    max_gap: Seconds = 0.0
    """Seconds (rows, where there is no time) over which missing values are interpolated; a longer
    gap cuts the episode; 0: five rows."""
    shortest: Length = 10
    """Shorter pieces are dropped (states)."""
    velocities: bool = False
    """Append the rate of every feature, for recordings of positions alone."""
    finite: bool = False
    """States are whole numbers of a finite set (one column), not vectors."""
    skip_unreadable: bool = False
    """Go on without files that cannot be read, and say so."""

    def __post_init__(self) -> None:
        check_fields(self, "import")
        if self.finite and (self.hz or self.velocities):
            raise DepoError("nothing lies between finite states: leave --hz and --velocities out")


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


class _Plan(NamedTuple):
    """How one table is read."""

    table: Table
    selection: Selection
    time: str
    unit: Unit | None
    episode: str
    report: FileReport


def import_files(
    paths: Sequence[str | Path],
    out: str | Path,
    settings: ImportSettings | None = None,
    *,
    step: float | None = None,
    dimension: int | None = None,
    environment: str = "",
    progress: Progress = lambda file, share: None,
) -> Imported:
    """Make demonstrations of recordings and say what became of them.

    ``step`` is the environment's step in seconds (``settings.hz`` beats it), ``dimension`` how long
    its states are, ``environment`` its name.
    """
    settings = settings or ImportSettings()
    out = Path(out)
    if out.suffix != ".npz":
        raise DepoError(f"--out {out} does not end in .npz: demonstrations are one such file")
    step = 1 / settings.hz if settings.hz else step
    found = find_recordings(paths)
    # what an earlier import left in the same folder is no recording
    tables = open_tables([f for f in found if f.path.resolve() != out.resolve()] or found)
    plans, skipped = _plans(tables, settings)
    names = plans[0].selection.names
    is_finite = settings.finite or all(plan.table.is_finite for plan in plans)
    _check_shape(names, is_finite, dimension, environment)
    writing = episode_writer(out, names, settings.shortest, is_finite)
    with writing as writer, _closing(plans):
        steps = _read(plans, settings, None if is_finite else step, writer, progress)
        reports = [*skipped, *(plan.report for plan in plans)]
        _check_kept(reports, settings)
        time_step = float(np.median(steps)) if steps else None
        finish(writer, out, _metadata(reports, plans, time_step, environment))
    assert writer.low is not None
    assert writer.high is not None
    return Imported(out, reports, names, writer.low, writer.high, time_step, writer.shown)


@contextlib.contextmanager
def _closing(plans: Sequence[_Plan]) -> Iterator[None]:
    """Whatever happens, what children have converted is let go."""
    try:
        yield
    finally:
        for plan in plans:
            plan.table.close()


def _read(
    plans: Sequence[_Plan],
    settings: ImportSettings,
    step: float | None,
    writer: EpisodeWriter,
    progress: Progress,
) -> list[float]:
    """Bring every file to the writer; the seconds between its states, of each that says them."""
    sizes = [_size(plan.table.path) for plan in plans]
    done, steps = 0, list[float]()
    for plan, size in zip(plans, sizes, strict=True):
        one = _FileImport(plan, settings, step, writer)
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


def _plans(
    tables: Sequence[Table | DepoError], settings: ImportSettings
) -> tuple[list[_Plan], list[FileReport]]:
    """How each table is read; all of them are looked at before a row is."""
    plans: list[_Plan] = []
    skipped = []
    for table in tables:
        try:
            if isinstance(table, DepoError):
                raise table
            plans.append(_plan(table, settings, plans[0] if plans else None))
        except DepoError as error:
            if not settings.skip_unreadable:
                raise
            report = FileReport(str(getattr(table, "path", "a file")))
            report.note(f"left out: {error}")
            skipped.append(report)
    if not plans:
        raise DepoError(f"none of {len(tables)} files can be read: {skipped[0].notes[0]}")
    return plans, skipped


def _plan(table: Table, settings: ImportSettings, first: _Plan | None) -> _Plan:
    report = FileReport(str(table.path), notes=list(table.notes))
    time, unit = _time_of(table, settings.time)
    episode = settings.episode and resolve_one(settings.episode, table, "--episode")
    if not episode:
        headers = [*(column.header for column in table.columns), *table.others]
        episode = table.episode or next((h for h in headers if h.lower() in EPISODES), "")
    items = settings.columns
    if not items and first is not None:  # the same features in the same order
        items = tuple(f.name for f in first.selection.features if not f.is_rate)
    selection, left = choose(table, items, without=(time, episode), velocities=settings.velocities)
    left = [name for name in left if name not in (time, episode)]
    if left:
        report.note(f"columns left out: {readable(', '.join(left))}")
    if first is not None and selection.names != first.selection.names:
        raise DepoError(
            f"{table.path} gives the features {readable(', '.join(selection.names))}, "
            f"{first.table.path} gave {readable(', '.join(first.selection.names))}: name them by "
            "--columns"
        )
    return _Plan(table, selection, time, unit, episode, report)


def _time_of(table: Table, given: str) -> tuple[str, Unit | None]:
    """The header of the time, and its unit if anybody says it."""
    known = {column.header: column.unit for column in table.columns}
    if not given:
        header, unit = table.time, None
    else:
        name, _, word = given.rpartition(":")
        unit = parse_unit(word) if name else None
        header = resolve_one(name if unit else given, table, "--time")
        if unit is not None and unit.kind != TIME:
            raise DepoError(
                f"--time {given}: '{unit.name}' is no unit of time: say s, ms, us or ns"
            )
    if header and header in table.others:
        unit = Unit("s", 1.0, TIME)
    return header, unit or known.get(header) or (time_unit(header) if header else None)


def _check_shape(
    names: Sequence[str], is_finite: bool, dimension: int | None, environment: str
) -> None:
    if is_finite and len(names) != 1:
        raise DepoError(
            f"finite states are one column, {len(names)} were chosen ({readable(', '.join(names))})"
            ": name one by --columns"
        )
    if dimension is not None and not is_finite and dimension != len(names):
        raise DepoError(
            f"{environment} has states of {dimension} numbers, the recordings give {len(names)} "
            f"({readable(', '.join(names))}): choose and order them by --columns"
            + (", or add --velocities" if 2 * len(names) == dimension else "")
        )


def _check_kept(reports: Sequence[FileReport], settings: ImportSettings) -> None:
    if any(report.episodes for report in reports):
        return
    pieces, splits = (sum(getattr(r, n) for r in reports) for n in ("short_pieces", "splits"))
    notes = [note for report in reports for note in report.notes]
    raise DepoError(
        f"no episode of {settings.shortest} or more states in {len(reports)} files "
        f"({sum(r.rows for r in reports):,} rows, {pieces:,} shorter pieces, {splits:,} gaps"
        f"{'; ' + notes[0] if notes else ''}): raise --max-gap, lower --shortest, or look at the "
        "columns with --columns"
    )


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 1


def _metadata(
    reports: Sequence[FileReport],
    plans: Sequence[_Plan],
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


@dataclass
class _FileImport:
    """One file on its way: rows in, states out."""

    plan: _Plan
    settings: ImportSettings
    step: float | None
    writer: EpisodeWriter
    time_step: float | None = None
    """Seconds between states, if they are known."""
    _segmenter: Segmenter | None = None
    _resampler: Resampler | None = None
    _rates: Differentiator = field(default_factory=Differentiator)
    _origin: float = 0.0
    _is_in_segment: bool = False

    def run(self) -> Iterator[float]:
        """Read, and yield the share that was read."""
        plan = self.plan
        headers = plan.selection.headers
        read = plan.table.rows(headers, plan.time, plan.episode, plan.report)
        scale = self._scale()
        for rows in read:
            time = self._seconds(rows)
            if self._resampler is None:
                self._check_label(rows.label)
                self._begin(time)
            assert self._segmenter is not None
            assert self._resampler is not None
            plan.report.rows += len(rows.values)
            for segment in self._segmenter.split(time, rows.values * scale, rows.label):
                if segment.is_new:
                    self._end_segment()
                self._take(self._resampler.push(segment.time, segment.rows))
            yield rows.share
        self._end_segment()
        if not plan.report.rows:
            plan.report.note("no rows")

    def _scale(self) -> np.ndarray:
        signals = self.plan.selection.signals
        return np.array([signal.factor for signal in signals for _ in signal.headers])

    def _seconds(self, rows: Rows) -> np.ndarray:
        """The time of each row in seconds, or its number."""
        if rows.time is not None:
            unit = self.plan.unit
            if unit is None:
                unit = guessed_unit(rows.time)
                self.plan = self.plan._replace(unit=unit)
                if unit.name != "s":
                    self.plan.report.note(
                        f"time '{self.plan.time}' says no unit, and its steps are too long for "
                        f"seconds: taken for {unit.name} (otherwise: --time {self.plan.time}:s)"
                    )
            return rows.time * unit.factor
        return (self.plan.report.rows + np.arange(len(rows.values))) / (self._rate() or 1.0)

    def _rate(self) -> float | None:
        return self.settings.recorded_hz or self.plan.table.hz

    def _begin(self, time: np.ndarray) -> None:
        """Once the first rows are there: how far apart they are, and what follows from it."""
        plan, report = self.plan, self.plan.report
        has_seconds = bool(plan.time) or self._rate() is not None
        recorded = typical_step(time)
        if recorded is None:
            recorded = self.step or 1.0
        elif has_seconds:
            report.recorded_hz = round(1 / recorded, 6)
        step = self._checked_step(has_seconds, recorded)
        if any(feature.is_rate for feature in plan.selection.features) and not has_seconds:
            raise DepoError(
                f"{plan.table.path} has no time, which velocities need: name its column by --time, "
                "or say --recorded-hz"
            )
        self.time_step = step or (recorded if has_seconds else None)
        max_gap = self.settings.max_gap or GAP * recorded
        if max_gap < recorded * 0.999:
            raise DepoError(
                f"--max-gap {max_gap:g} is shorter than the {recorded:g} from row to row of "
                f"{plan.table.path}: nothing would hang together"
            )
        if step is None and plan.time:
            steps = np.diff(time)
            if np.mean(np.abs(steps - recorded) > UNEVEN * recorded) > OFTEN:
                report.note("rows are not evenly apart: resample with --hz or --env")
        if step is not None and recorded > 1.5 * step:
            report.note(
                f"recorded at {1 / recorded:.4g} Hz, states at {1 / step:.4g} Hz: most of them are "
                "interpolated"
            )
        self._origin = float(time[np.isfinite(time)][0]) if np.isfinite(time).any() else 0.0
        self._segmenter = Segmenter(max_gap * (1 + 1e-9), report)
        self._resampler = self._new_resampler(max_gap * (1 + 1e-9), step)

    def _check_label(self, label: np.ndarray | None) -> None:
        """Refuse episodes that take turns: their rows would have to be sorted first."""
        if label is None or len(label) < 4 or not self.plan.episode:
            return
        if np.mean(np.diff(label) != 0) > 0.5:
            raise DepoError(
                f"{self.plan.table.path}: column '{self.plan.episode}' changes from row to row: "
                "sort the file by it, or name another by --episode"
            )

    def _checked_step(self, has_seconds: bool, recorded: float) -> float | None:
        """The step to resample to, if rows have a time."""
        plan = self.plan
        if self.step is None or has_seconds:
            return self.step
        if plan.table.are_steps:
            plan.report.note("rows are steps of an environment already: not resampled")
            return None
        raise DepoError(
            f"{plan.table.path} has no column of times: name it by --time COLUMN, or say how often "
            "its rows were recorded by --recorded-hz N"
        )

    def _new_resampler(self, max_gap: float, step: float | None) -> Resampler:
        widths, angles, quaternions, column = [], [], [], 0
        for signal in self.plan.selection.signals:
            widths.append(len(signal.headers))
            if signal.kind == ANGLE:
                angles.append(column)
            elif signal.kind == QUATERNION:
                quaternions.append(column)
            column += len(signal.headers)
        return Resampler(
            tuple(widths),
            tuple(angles),
            tuple(quaternions),
            max_gap,
            step,
            self.writer.is_finite,
        )

    def _take(self, stretches: Sequence[Stretch]) -> None:
        for stretch in stretches:
            if stretch.is_new:
                self._end_episode()
                self.plan.report.splits += self._is_in_segment
            self._is_in_segment = True
            self.plan.report.repaired += stretch.repaired
            self._write(*self._rates.push(stretch.time, stretch.values))

    def _end_segment(self) -> None:
        if self._resampler is not None:
            self._take(self._resampler.close())
        self._end_episode()
        self._is_in_segment = False

    def _end_episode(self) -> None:
        self._write(*self._rates.close())
        self.writer.end(self.plan.report)

    def _write(self, time: np.ndarray, values: np.ndarray, rates: np.ndarray) -> None:
        if len(time):
            states = self._states(values, rates)
            self.writer.add(time - self._origin, states, self.plan.report)

    def _states(self, values: np.ndarray, rates: np.ndarray) -> np.ndarray:
        starts = np.cumsum([0, *(len(s.headers) for s in self.plan.selection.signals)])
        columns = []
        for feature in self.plan.selection.features:
            own = (rates if feature.is_rate else values)[
                :, starts[feature.signal] + feature.component
            ]
            if feature.is_wrapped:
                own = own - TURN * np.ceil((own - np.pi) / TURN)
            columns.append(own)
        return np.stack(columns, axis=1)

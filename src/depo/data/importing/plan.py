"""What an import is asked to do, and how each table is to be read: settled before a row is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, NamedTuple

import msgspec

from depo.core.codec import check_fields
from depo.core.errors import DepoError, readable
from depo.data.importing.arrays import are_steps
from depo.data.importing.clock import fraction_of
from depo.data.importing.columns import Selection, choose, resolve_one, unread_units
from depo.data.importing.marks import Marks
from depo.data.importing.report import FileReport
from depo.data.importing.roles import episode_headers, with_quaternions
from depo.data.importing.table import Table
from depo.data.importing.target import Target
from depo.data.importing.units import TIME, Unit, parse_unit, time_unit

Rate = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=86_400)]
Length = Annotated[int, msgspec.Meta(ge=2)]


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
    """A column whose changes begin an episode, or that marks an episode's last row (one called
    done); empty: one that is called so, else each file is one."""
    hz: Rate = 0.0
    """States in a second to resample to; 0: the environment's if there is one, else as recorded."""
    recorded_hz: Rate = 0.0
    """Rows in a second, for files without a column of times."""
    max_gap: Seconds = 0.0
    """Seconds (rows, where there is no time) over which missing values are interpolated; a longer
    gap cuts the episode; 0: five rows, or one state if that is longer."""
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


class Plan(NamedTuple):
    """How one table is read."""

    table: Table
    selection: Selection
    time: str
    unit: Unit | None
    episode: str
    report: FileReport
    marks: Marks = Marks()
    fraction: str = ""
    """Header of the nanoseconds that belong to the time's seconds."""

    @property
    def is_clock(self) -> bool:
        """Whether times are dates or times of day."""
        return self.time in self.table.others

    @property
    def more(self) -> list[str]:
        """Columns to read beside those of the state."""
        return [*self.marks.headers, *([self.fraction] if self.fraction else [])]

    @property
    def rows_are_steps(self) -> bool:
        """Whether a row is a step of an environment, as one with an action and a reward and no time
        is."""
        headers = [column.header for column in self.table.columns]
        return self.table.are_steps or (not self.time and are_steps(headers))


def make_plans(
    tables: Sequence[Table | DepoError], settings: ImportSettings, target: Target
) -> tuple[list[Plan], list[FileReport]]:
    """How each table is read; all of them are looked at before a row is."""
    plans: list[Plan] = []
    skipped = []
    for table in tables:
        try:
            if isinstance(table, DepoError):
                raise table
            plans.append(_plan(table, settings, target, plans[0] if plans else None))
        except DepoError as error:
            if not settings.skip_unreadable:
                if len(tables) == 1 or "--" in str(error):
                    raise
                raise DepoError(f"{error} (--skip-unreadable goes on without it)") from None
            report = FileReport(str(getattr(table, "path", "a file")))
            report.note(f"left out: {error}")
            skipped.append(report)
    if not plans:
        raise DepoError(f"none of {len(tables)} files can be read: {skipped[0].notes[0]}")
    return plans, skipped


def _plan(table: Table, settings: ImportSettings, target: Target, first: Plan | None) -> Plan:
    report = FileReport(str(table.path), notes=list(table.notes))
    time, unit = _time_of(table, settings.time)
    headers = [column.header for column in table.columns]
    fraction = fraction_of(time, headers)
    unit = Unit("s", 1.0, TIME) if fraction else unit
    episode, marks = _episodes_of(table, settings.episode, time, report)
    table = replace(table, columns=with_quaternions(table.columns))
    used = (time, fraction, episode, *marks.headers)
    by_name: tuple[str, ...] = ()
    if not (settings.columns or settings.finite):
        by_name = target.columns_in(table, used, velocities=settings.velocities)
    items = settings.columns or by_name
    if not items and first is not None:  # the same features in the same order
        items = tuple(f.name for f in first.selection.features if not f.is_rate)
    selection, left = choose(table, items, without=used, velocities=settings.velocities)
    if by_name:
        left = [h for h in (*headers, *table.others) if h not in selection.headers]
        if selection.headers != [h for h in headers if h in selection.headers]:
            report.note(f"columns are put in the order of {target.environment}, by their names")
    for note in unread_units(table, selection):
        report.note(note)
    selection = target.wrapped(selection, report)
    left = [*marks.headers, *(name for name in left if name not in used)]
    if left:
        report.note(f"columns left out: {readable(', '.join(left))}")
    if first is not None and selection.names != first.selection.names:
        raise DepoError(
            f"{table.path} gives the features {readable(', '.join(selection.names))}, "
            f"{first.table.path} gave {readable(', '.join(first.selection.names))}: name them by "
            "--columns"
        )
    return Plan(table, selection, time, unit, episode, report, marks, fraction)


def _episodes_of(table: Table, given: str, time: str, report: FileReport) -> tuple[str, Marks]:
    """The column that tells episodes apart, or columns that mark where they end or begin."""
    numbers = [column.header for column in table.columns]
    if given:
        header = resolve_one(given, table, "--episode")
        marks = Marks.among([header], counters=False)
        return ("", marks) if marks.headers else (header, marks)
    if table.episode or table.tells_episodes or table.is_finite:
        return table.episode, Marks()
    if headers := episode_headers([*table.others, *numbers]):
        # words can be read of one column only, so of several it is the finest of them
        words = [header for header in headers if header in table.others]
        headers = [*words[:1], *(header for header in headers if header in numbers)]
        more = tuple(headers[1:])
        said = readable("' and '".join(headers))
        report.note(f"episodes are told apart by column '{said}'")
        return headers[0], Marks(changes=more)
    marks = Marks.among(numbers, counters=not time and len(numbers) > 1)
    return "", marks


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

"""One file on its way: rows in, states out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from depo.core.errors import DepoError, readable
from depo.data.importing.clock import days_added, guessed_unit
from depo.data.importing.coarse import CoarseTimes, is_growing
from depo.data.importing.codes import MissingCodes
from depo.data.importing.columns import QUATERNION
from depo.data.importing.kinds import Kinds
from depo.data.importing.marks import Labels, Marks
from depo.data.importing.plan import ImportSettings, Plan
from depo.data.importing.resampling import TURN, Resampler, Stretch
from depo.data.importing.segments import Segmenter, typical_step
from depo.data.importing.table import Rows
from depo.data.importing.units import ANGLE
from depo.data.importing.velocities import Differentiator
from depo.data.importing.wrapping import in_turn
from depo.data.importing.writing import EpisodeWriter, coarse_features, rounding_of

GAP = 5.0
"""Rows that may be missing, or one state, where nothing else is said."""
MOST_ROUNDED = 1e-2
"""Of a step, that times may be off by rounding and still count as the same."""
UNEVEN, OFTEN = 0.2, 0.05
"""Steps that differ by more from the median, and the share of them that is worth a word."""
MADE_UP = 1_000
"""States between two rows, of which more are no recording."""


@dataclass
class FileImport:
    """Cuts, resamples and differentiates a table's rows, and hands states to the writer."""

    plan: Plan
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
    _zero: float | None = None
    """The first time, in the file's unit."""
    _resolution: float = 0.0
    """Seconds by which times that mean the same may differ."""
    _day: tuple[float, float] = (np.nan, 0.0)
    _codes: MissingCodes = field(init=False)
    _coarse: CoarseTimes | None = None
    _rounded: np.ndarray = field(default_factory=lambda: np.zeros((2, 1)))
    _kinds: Kinds = field(init=False)
    _scale: np.ndarray = field(init=False)
    _labels: Labels = field(default_factory=lambda: Labels(Marks()))

    def __post_init__(self) -> None:
        self._labels = Labels(self.plan.marks)
        signals = self.plan.selection.signals
        self._codes = MissingCodes(self.plan.selection.headers, self.plan.report)
        self._kinds = Kinds(self.plan.selection, self.plan.report)
        self._scale = np.array([signal.factor for signal in signals for _ in signal.headers])

    def run(self) -> Iterator[float]:
        """Read, and yield the share that was read."""
        plan = self.plan
        headers = plan.selection.headers
        read = plan.table.rows([*headers, *plan.more], plan.time, plan.episode, plan.report)
        for whole in read:
            rows, time = self._told_apart(whole, len(headers))
            if self._resampler is None:
                self._check_label(whole.label)
                self._kinds.look(rows.values, time, rows.label)
                self._begin(time)
                self._look_for_time(rows.values)
            assert self._segmenter is not None
            assert self._resampler is not None
            if plan.report.rows:
                for column, turn in self._kinds.look(rows.values, time, rows.label):
                    self._resampler.add_angle(column, turn)
            plan.report.rows += len(rows.values)
            for segment in self._segmenter.split(time, rows.values * self._scale, rows.label):
                if segment.is_new:
                    self._end_segment()
                self._take(self._resampler.push(segment.time, segment.rows))
            yield rows.share
        self._end_segment()
        for note in coarse_features(self._rounded, plan.selection.names):
            plan.report.note(note)
        if self._resampler is not None and self._resampler.step and self._kinds.held:
            plan.report.note(
                f"{self._kinds.held_names}: few whole numbers, as codes and counters are, each "
                "held until the next row, not interpolated (otherwise: --columns …:linear)"
            )
        if not plan.report.rows:
            plan.report.note("no rows")

    def _told_apart(self, rows: Rows, width: int) -> tuple[Rows, np.ndarray]:
        """Rows with the columns of the state alone, each one's episode, and its time."""
        more = rows.values[:, width:]
        labels = [each for each in (rows.label, rows.part) if each is not None]
        if marked := len(self.plan.marks.headers):
            before = self._labels.count
            labels.append(self._labels.of(more[:, :marked]))
            if self._labels.count > before:
                self.plan.report.note(self.plan.marks.sentence)
        label = np.column_stack(labels) if labels else None
        values = rows.values[:, :width]
        if not (self.writer.is_finite or self.plan.rows_are_steps):
            values = self._codes.without(values)
        own = rows._replace(values=values, label=label)
        time = self._seconds(own, more[:, marked] if self.plan.fraction else None)
        return own, self._spread(time, values)

    def _spread(self, time: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Times that several rows share, made finer."""
        if self.plan.time and self._resampler is None and len(time):
            self._coarse = CoarseTimes.of(time, values)
            if self._coarse is not None:
                self.plan.report.note(
                    f"'{readable(self.plan.time)}' is the same in several rows, one after the "
                    f"other: they are taken for {self._coarse.apart:.4g} s apart"
                )
        return time if self._coarse is None else self._coarse.spread(time)

    def _seconds(self, rows: Rows, fraction: np.ndarray | None) -> np.ndarray:
        """The time of each row in seconds since the first, or its number."""
        if rows.time is None:
            return (self.plan.report.rows + np.arange(len(rows.values))) / (self._rate() or 1.0)
        times, unit = rows.time, self.plan.unit
        if unit is None:
            unit = guessed_unit(times, self.step)
            self.plan = self.plan._replace(unit=unit)
            if unit.name != "s":
                self.plan.report.note(
                    f"time '{self.plan.time}' says no unit, and its numbers are no seconds: taken "
                    f"for {unit.name} (otherwise: --time {self.plan.time}:s)"
                )
        if self.plan.is_clock:
            times, self._day = days_added(times, self._day)
        finite = times[np.isfinite(times)]
        if self._zero is None and len(finite):
            self._zero = float(finite[0])
            self._resolution = 2 * float(np.spacing(np.abs(finite).max())) * unit.factor
        seconds = (times - (self._zero or 0.0)) * unit.factor
        return seconds if fraction is None else seconds + 1e-9 * fraction

    def _rate(self) -> float | None:
        return self.settings.recorded_hz or self.plan.table.hz

    def _begin(self, time: np.ndarray) -> None:
        """Once the first rows are there: how far apart they are, and what follows from it."""
        plan, report = self.plan, self.plan.report
        has_seconds = bool(plan.time) or self._rate() is not None
        self._check_direction(time)
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
        if step is not None and recorded > MADE_UP * step:
            raise DepoError(
                f"rows of {plan.table.path} are {recorded:g} s apart and states {step:g} s, more "
                f"than {MADE_UP:,} would be made up between two: name the unit of its times, as "
                "--time time:ms, or take a lower --hz"
            )
        self.time_step = step or (recorded if has_seconds else None)
        max_gap = self.settings.max_gap or max(GAP * recorded, step or 0.0)
        if max_gap < recorded * 0.999:
            raise DepoError(
                f"--max-gap {max_gap:g} is shorter than the {recorded:g} from row to row of "
                f"{plan.table.path}: nothing would hang together"
            )
        if step is None and plan.time:
            steps = np.diff(time)
            if len(steps) and np.mean(np.abs(steps - recorded) > UNEVEN * recorded) > OFTEN:
                report.note("rows are not evenly apart: resample with --hz or --env")
        if step is not None and recorded > 1.5 * step:
            report.note(
                f"recorded at {1 / recorded:.4g} Hz, states at {1 / step:.4g} Hz: most of them are "
                "interpolated"
            )
        self._origin = float(time[np.isfinite(time)][0]) if np.isfinite(time).any() else 0.0
        self._segmenter = Segmenter(max_gap * (1 + 1e-9), report)
        self._resampler = self._new_resampler(max_gap * (1 + 1e-9), step)

    def _check_direction(self, time: np.ndarray) -> None:
        """Refuse a file whose last row comes first."""
        steps = np.diff(time[np.isfinite(time)])
        if len(steps) > 3 and np.mean(steps < 0) > 0.5:
            raise DepoError(
                f"{self.plan.table.path}: the times in '{self.plan.time}' go down from row to row: "
                "sort the file by them, or name another column by --time"
            )

    def _look_for_time(self, values: np.ndarray) -> None:
        """Say what of the state may be a time, where none is known."""
        if self.plan.time or self.plan.rows_are_steps or self.writer.is_finite:
            return
        for i, header in enumerate(self.plan.selection.headers):
            if is_growing(values[:, i]):
                name = readable(header)
                self.plan.report.note(
                    f"'{name}' grows by the same from row to row, as a time or a counter does: if "
                    f"it is a time, --time '{name}'; if it counts, leave it out by --columns"
                )

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
        if plan.rows_are_steps:
            plan.report.note("rows are steps of an environment already: not resampled")
            return None
        raise DepoError(
            f"{plan.table.path} has no column of times: name it by --time COLUMN, or say how often "
            "its rows were recorded by --recorded-hz N"
            + ("" if self.settings.hz else "; if a row is a step of the environment, drop --env")
        )

    def _new_resampler(self, max_gap: float, step: float | None) -> Resampler:
        widths, quaternions, column = list[int](), list[int](), 0
        angles, wraps = dict[int, float](), self._kinds.wraps
        for i, signal in enumerate(self.plan.selection.signals):
            widths.append(len(signal.headers))
            kind = self._kinds.kinds[i]
            if kind == ANGLE:
                angles[column] = wraps[i].turn if i in wraps else TURN
            elif kind == QUATERNION:
                quaternions.append(column)
            column += len(signal.headers)
        return Resampler(
            tuple(widths),
            angles,
            tuple(quaternions),
            max_gap,
            step,
            self.writer.is_finite,
            self._kinds.held,
            min(self._resolution, MOST_ROUNDED * step) if step else 0.0,
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
            self._rounded = self._rounded + rounding_of(states)

    def _states(self, values: np.ndarray, rates: np.ndarray) -> np.ndarray:
        starts = np.cumsum([0, *(len(s.headers) for s in self.plan.selection.signals)])
        columns = []
        for feature in self.plan.selection.features:
            own = (rates if feature.is_rate else values)[
                :, starts[feature.signal] + feature.component
            ]
            wrap = self._kinds.wraps.get(feature.signal)
            if wrap and not feature.is_rate and (wrap.turn != TURN or feature.low is None):
                own = wrap.put_back(own)
            if feature.low is not None and (wrap is None or wrap.turn == TURN):
                own = in_turn(own, feature.low)
            columns.append(own)
        return np.stack(columns, axis=1)

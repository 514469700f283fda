"""Rows of a table made into tracks without gaps; what is broken is counted and treated by rule."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import numpy as np
import polars as pl

from depo.core.errors import DepoError
from depo.driving.traffic.layout import Layout
from depo.driving.traffic.overlaps import crashed_vehicles, overlaps
from depo.driving.traffic.placing import Table, in_lanes, placed
from depo.driving.traffic.recording import Recording, check_at_once

SAME = 0.01
"""Metres: rows of one vehicle and frame that are closer are the same row twice."""


@dataclass(frozen=True)
class RepairSettings:
    """What counts as broken."""

    max_gap: int = 10
    """At most n missing frames in a row are filled by a line; longer gaps split a track."""
    max_speed: float = 50.0
    """A vehicle that is faster along the road between two rows (m/s) has jumped."""
    max_lateral_speed: float = 15.0
    """A vehicle that is faster across the road between two rows (m/s) has jumped."""
    longest: float = 30.0
    """Longer vehicles (m) have no valid length."""
    widest: float = 4.0
    """Wider vehicles (m) have no valid width."""
    max_broken: float = 0.5
    """A recording with a larger share of broken rows is refused."""


@dataclass(frozen=True)
class Report:
    """What was found in a recording, and what was done about it."""

    rows: int = 0
    """Rows that were read."""
    missing: int = 0
    """Rows without vehicle, frame or position (no number, NaN, infinite): dropped."""
    astray: int = 0
    """Rows whose clock is missing, or far from that of every recording in the file: dropped."""
    repeated: int = 0
    """Rows that say again what another says: dropped."""
    contradictory: int = 0
    """Rows of one vehicle and frame that disagree by more than a centimetre: all dropped."""
    outliers: int = 0
    """Single rows that jump away while the next is back: dropped."""
    filled: int = 0
    """Frames missing in short gaps: filled by a straight line."""
    long_gaps: int = 0
    """Longer gaps: the track is split, and its pieces are vehicles of their own."""
    teleports: int = 0
    """Jumps for good: the track is split."""
    lone: int = 0
    """Rows left alone by the splits: dropped."""
    lanes_filled: int = 0
    """Rows with an unknown lane: taken from the lateral position, or from the row before."""
    lanes_unknown: int = 0
    """Rows of vehicles whose lane, and so place, nobody knows: dropped."""
    sizes_assumed: int = 0
    """Vehicles without a valid length or width: the recording's median, or what the layout says."""
    overlapping: int = 0
    """Pairs of rows of vehicles that overlap (impossible spacing): kept."""
    crashed: int = 0
    """Vehicles that overlap by more than a metre both ways: kept, never chosen as one's own."""

    @property
    def broken(self) -> int:
        """Rows that could not be used."""
        unplaced = self.missing + self.astray + self.lanes_unknown
        return unplaced + self.contradictory + self.outliers + self.lone

    def to_dict(self) -> dict[str, int]:
        """All counts by name."""
        return asdict(self)


def repair(
    rows: pl.DataFrame,
    layout: Layout,
    name: str,
    settings: RepairSettings | None = None,
    astray: int = 0,
) -> tuple[Recording, Report]:
    """The recording that a table holds, whatever the order of its rows, and what was wrong.

    ``astray`` rows were dropped before.
    """
    settings = settings or RepairSettings()
    report = Report(rows=len(rows) + astray, astray=astray)
    needed = [column for column in ("vehicle", "frame", "x", "y") if column in rows.columns]
    whole = rows.drop_nulls(needed)
    whole = whole.sort([*needed, *(column for column in whole.columns if column not in needed)])
    report = replace(report, missing=len(rows) - len(whole))
    table = {c: whole[c].to_numpy() for c in whole.columns if c not in ("recording", "clock")}
    table, report = _without_duplicates(table, report, layout)
    table, report = _without_outliers(table, report, layout, settings)
    table, begin, report = _pieces(table, report, layout, settings)
    check_at_once(table["frame"])
    table, begin, counts = in_lanes(table, begin, layout)
    report = replace(report, **counts)
    if report.rows == 0 or report.broken > settings.max_broken * report.rows or len(begin) < 2:
        raise DepoError(f"{name} is unusable: {_reason(report, settings)}")
    largest = (settings.longest, settings.widest)
    recording, assumed = placed(table, begin, layout, largest, name)
    road = recording.road
    front = recording.x + recording.length[recording.vehicle]
    if not ((front >= 0) & (recording.x <= road.length)).any():
        raise DepoError(
            f"{name} is unusable: no vehicle is on the road, which is {road.length:.0f} m long; "
            f"x runs from {recording.x.min():.1f} to {front.max():.1f} m: are unit and x_origin of "
            f"layout '{layout.name}' right?"
        )
    touching = overlaps(recording)
    crashed = crashed_vehicles(recording)
    report = replace(
        report,
        sizes_assumed=assumed,
        overlapping=len(touching.behind),
        crashed=len(crashed),
    )
    about = {
        "layout": layout.name,
        "cite": layout.cite,
        "smooth": layout.smooth,
        "blacklist": list(layout.blacklisted(name)),
        "report": report.to_dict(),
    }
    return replace(recording, metadata=about), report


def _reason(report: Report, settings: RepairSettings) -> str:
    if report.rows == 0:
        return "it has no rows"
    counts = {
        "without a position": report.missing,
        "without a time": report.astray,
        "contradictory": report.contradictory,
        "jumping": report.outliers,
        "alone": report.lone,
        "of unknown lane": report.lanes_unknown,
    }
    listed = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    return (
        f"{report.broken} of {report.rows} rows are broken ({listed}), more than a share of "
        f"{settings.max_broken}: is the layout right?"
    )


def _without_duplicates(table: Table, report: Report, layout: Layout) -> tuple[Table, Report]:
    """One row for each vehicle and frame, or none where rows disagree: either may be wrong."""
    v, f = table["vehicle"], table["frame"]
    if not len(v):
        return table, report
    first = np.flatnonzero(np.concatenate([[True], (v[1:] != v[:-1]) | (f[1:] != f[:-1])]))
    count = np.diff(np.append(first, len(v)))
    spread = np.zeros(len(first))
    for column in ("x", "y" if "y" in table else "lane"):  # what says where a vehicle is
        value = table[column].astype(float)
        if column == "lane":
            value = np.where(np.isin(value, layout.unknown_lanes), np.nan, value)
        apart = np.fmax.reduceat(value, first) - np.fmin.reduceat(value, first)
        spread = np.fmax(spread, apart)  # an unknown lane contradicts nobody
    same = spread <= SAME
    kept = {column: array[first[same]] for column, array in table.items()}
    return kept, replace(
        report, repeated=int((count[same] - 1).sum()), contradictory=int(count[~same].sum())
    )


def _jumps(table: Table, layout: Layout, settings: RepairSettings, step: int) -> np.ndarray:
    """Whether a row and the one ``step`` later cannot be the same vehicle's."""
    seconds = (table["frame"][step:] - table["frame"][:-step]) * layout.time_step
    far = np.abs(table["x"][step:] - table["x"][:-step]) > settings.max_speed * seconds
    if "y" in table:
        across = np.abs(table["y"][step:] - table["y"][:-step])
        far |= across > settings.max_lateral_speed * seconds
    return far


def _without_outliers(
    table: Table, report: Report, layout: Layout, settings: RepairSettings
) -> tuple[Table, Report]:
    v = table["vehicle"]
    if len(v) < 3:
        return table, report
    jump = _jumps(table, layout, settings, 1) & (v[1:] == v[:-1])
    back = ~_jumps(table, layout, settings, 2) & (v[2:] == v[:-2])
    out = np.zeros(len(v), bool)
    out[1:-1] = jump[:-1] & jump[1:] & back
    kept = {column: array[~out] for column, array in table.items()}
    return kept, replace(report, outliers=int(out.sum()))


def _pieces(
    table: Table, report: Report, layout: Layout, settings: RepairSettings
) -> tuple[Table, np.ndarray, Report]:
    """Split tracks where they cannot be mended, fill the short gaps; rows begin at ``begin``."""
    v, f = table["vehicle"], table["frame"]
    if not len(v):
        return table, np.zeros(1, np.int64), report
    same, missing = v[1:] == v[:-1], f[1:] - f[:-1] - 1
    long = same & (missing > settings.max_gap)
    jump = same & ~long & _jumps(table, layout, settings, 1)
    first = np.flatnonzero(np.concatenate([[True], ~same | long | jump]))
    count = np.diff(np.append(first, len(v)))
    lone = count < 2
    keep = np.repeat(~lone, count)
    report = replace(
        report, long_gaps=int(long.sum()), teleports=int(jump.sum()), lone=int(lone.sum())
    )
    table = {column: array[keep] for column, array in table.items()}
    count = count[~lone]
    first = np.cumsum(count) - count
    if not len(first):
        return table, np.zeros(1, np.int64), report
    frame, last = table["frame"], first + count - 1
    begin = np.concatenate([[0], np.cumsum(frame[last] - frame[first] + 1)])
    # where a row lies in the filled table: increasing over all tracks, so one interpolation does
    place = frame + np.repeat(begin[:-1] - frame[first], count)
    grid = np.arange(begin[-1])
    before = np.searchsorted(place, grid, side="right") - 1
    filled: Table = {c: np.interp(grid, place, table[c]) for c in ("x", "y") if c in table}
    filled |= {c: array[before] for c, array in table.items() if c not in ("x", "y", "frame")}
    filled["frame"] = grid + np.repeat(frame[first] - begin[:-1], np.diff(begin))
    return filled, begin, replace(report, filled=int(begin[-1] - len(place)))

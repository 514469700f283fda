"""Traffic files as users have them, made into recordings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from depo.core.errors import DepoError
from depo.driving.traffic.layout import Layout
from depo.driving.traffic.recording import Recording
from depo.driving.traffic.repair import RepairSettings, Report, repair
from depo.driving.traffic.table import Progress, read_table

MOST_RECORDINGS = 1_000
"""Of one file."""
APART = 60_000
"""Milliseconds: rows whose clock and frame disagree by more are of different recordings."""
HANDFUL = 0.001
"""A smaller share of a place's rows (or a single one) is no recording, its clock is wrong."""


def read_recordings(
    path: str | Path,
    layout: Layout | str | Path | None = None,
    *,
    repairs: RepairSettings | None = None,
    progress: Progress = lambda share: None,
) -> list[tuple[Recording, Report]]:
    """Every recording of a file, in order of time, with what was found broken in it.

    Without a layout the shipped one that fits the file's columns is taken. Files with a clock or
    a column for the recording may hold several: vehicles and frames are numbered anew in each.
    """
    path = Path(path)
    if isinstance(layout, str | Path):
        layout = Layout.named(layout)
    rows, layout = read_table(path, layout, progress)
    if not len(rows):
        wanted = ", ".join(f"{c} = {v}" for c, v in layout.where.items())
        raise DepoError(f"{path} has no rows{f' with {wanted}' if wanted else ''}")
    parts = _recordings(rows, path, layout)
    return [repair(part, layout, name, repairs, astray) for name, part, astray in parts]


def _recordings(
    rows: pl.DataFrame, path: Path, layout: Layout
) -> Sequence[tuple[str, pl.DataFrame, int]]:
    """Parts of a table that are recordings of their own: the place, then the time.

    Beside each how many rows of the place belong to no time, said of its first recording.
    """
    plain = path.name.removesuffix(".gz").rpartition(".")[0] or path.name
    places = [(plain, rows)]
    if "recording" in rows.columns:
        rows = rows.with_columns(pl.col("recording").fill_null("unknown").str.to_lowercase())
        places = [
            (str(key[0]), part) for key, part in rows.group_by("recording", maintain_order=True)
        ]
        places.sort(key=lambda place: place[0])
        if len(places) > MOST_RECORDINGS:
            raise DepoError(
                f"{path} holds {len(places):,} recordings, more than {MOST_RECORDINGS:,}: is "
                f"'{layout.columns['recording']}' the column that tells them apart?"
            )
    if "clock" not in rows.columns:
        return [(name, part, 0) for name, part in places]
    found = []
    for name, part in places:
        slots = _time_slots(part, layout)
        astray = len(part) - sum(map(len, slots))
        found += [
            (f"{name}/{number}", slot, 0 if number else astray) for number, slot in enumerate(slots)
        ]
    return found


def _time_slots(rows: pl.DataFrame, layout: Layout) -> list[pl.DataFrame]:
    """Frames count from a recording's own start: clock − frame tells recordings apart.

    Where there are several, rows without a clock, and handfuls of rows whose clock is far from all
    others', are in none of them. Where there is one, they are in that.
    """
    start = (pl.col("clock") - (pl.col("frame") * layout.time_step * 1000).round()).cast(pl.Int64)
    found = rows.select(start.alias("begin"))["begin"]
    known, begin = found.is_not_null().to_numpy(), found.fill_null(0).to_numpy()
    seen = np.unique(begin[known])
    edges = seen[1:][np.diff(seen) > APART]
    if not len(edges):
        return [rows]
    slot = np.where(known, np.searchsorted(edges, begin, side="right"), len(edges) + 1)
    size = np.bincount(slot, minlength=len(edges) + 2)[: len(edges) + 1]
    recorded = np.flatnonzero(size > max(1.0, HANDFUL * len(rows)))
    if len(recorded) < 2:
        return [rows]
    slots = pl.Series("slot", slot)
    return [rows.filter(slots == i) for i in recorded]

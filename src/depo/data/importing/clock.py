"""Which column is the time, in which unit, and dates and times of day as seconds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from depo.data.importing.units import Unit, split_header, time_unit

NAMES = (
    "time",
    "timestamp",
    "t",
    "stamp",
    "seconds",
    "sec",
    "secs",
    "elapsed",
    "elapsed_time",
    "time_stamp",
    "ms",
    "millis",
    "datetime",
    "zeit",
)
"""What a column of times is called, without its unit and in lower case."""
PARTS = re.compile(r"(?<![_\s.])[_\s.]*+(s|sec|ms|us|ns|seconds|millis)$")
DATE_FIRST = r"(\d{4})[-./](\d{1,2})[-./](\d{1,2})[T ]"
DATE_LAST = r"(\d{1,2})[-./](\d{1,2})[-./](\d{4})[T ]"
OF_DAY = r"(\d{1,2}):(\d{2}):(\d{2}(?:[.,]\d+)?)"


def find_time(headers: Sequence[str]) -> str:
    """The header that names a time; empty: none does.

    >>> find_time(["hip [deg]", "Time [ms]"]), find_time(["t_ms", "x"]), find_time(["x", "total"])
    ('Time [ms]', 't_ms', '')
    """
    for header in headers:
        name = split_header(header)[0].lower().strip()
        bare = PARTS.sub("", name) if time_unit(header) else name
        if name in NAMES or bare in NAMES:
            return header
    return ""


def guessed_unit(times: np.ndarray) -> Unit:
    """The unit of times whose header says none: seconds, unless the steps are longer than motion is
    logged apart (2, or 1 in whole numbers).

    >>> guessed_unit(np.array([0.0, 0.01, 0.02])).name, guessed_unit(np.array([0.0, 10, 20])).name
    ('s', 'ms')
    """
    times = times[np.isfinite(times)]
    steps = np.diff(times)
    steps = steps[steps > 0]
    step = float(np.median(steps)) if len(steps) else 0.0
    if step < 1 or (step < 2 and not np.array_equal(times, np.round(times))):
        return Unit("s", 1.0, "time")
    for name, factor in (("ms", 1e-3), ("us", 1e-6)):
        if step < 1_000:
            return Unit(name, factor, "time")
        step /= 1_000
    return Unit("ns", 1e-9, "time")


def seconds_of(texts: pl.Series) -> np.ndarray:
    """Dates and times of day as seconds; NaN where a text is neither.

    >>> seconds_of(pl.Series(["2024-05-01 00:01:00.5", "01.05.2024 00:01:01", "x"])).tolist()
    [1714521660.5, 1714521661.0, nan]
    """
    table = texts.to_frame("text")
    year = _part(DATE_FIRST, 1, pl.Int32).fill_null(_part(DATE_LAST, 3, pl.Int32))
    month = _part(DATE_FIRST, 2, pl.Int8).fill_null(_part(DATE_LAST, 2, pl.Int8))
    day = _part(DATE_FIRST, 3, pl.Int8).fill_null(_part(DATE_LAST, 1, pl.Int8))
    # days past the 28th are added: a date that does not exist would be an error for all rows
    month = pl.when(month.is_between(1, 12)).then(month)
    days = pl.date(year, month, day.clip(1, 28)).cast(pl.Int32) + (day.cast(pl.Int32) - 28).clip(0)
    hours, minutes = _part(OF_DAY, 1, pl.Float64), _part(OF_DAY, 2, pl.Float64)
    seconds = _part(OF_DAY, 3, pl.Float64)
    total = days.fill_null(0) * 86_400.0 + hours * 3_600 + minutes * 60 + seconds
    return table.select(total.alias("s"))["s"].fill_null(np.nan).to_numpy()


def _part(pattern: str, group: int, kind: Any) -> pl.Expr:
    found = pl.col("text").str.extract(pattern, group).str.replace(",", ".", literal=True)
    return found.cast(kind, strict=False)

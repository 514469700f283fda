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
    "milliseconds",
    "microseconds",
    "minutes",
    "hours",
    "datetime",
    "zeit",
    "zeitstempel",
    "epoch",
    "uhrzeit",
    "temps",
    "tiempo",
)
"""What a column of times is called, without its unit and in lower case."""
TIMED = re.compile(
    r"((gps|utc|ros|unix|epoch|posix|log|logger|sys|system|device|sensor|host|local|server|source"
    r"|sim|simulation|rec|record|recorded|recording|elapsed|running|boot|rel|relative|abs|absolute)"
    r"[_ .]*)?(time|timestamp|time_stamp|stamp|clock|utc|datetime|date_time|date time)"
    r"([_ .]*utc)?$"
)
"""The same beside a word that says whose time it is."""
COARSE = ("minutes", "hours")
"""Of them, what may as well be one part of a clock, beside its seconds."""
SECONDS, FRACTIONS = (
    ("secs", "sec", "seconds"),
    ("nsecs", "nsec", "nanosec", "nanosecs", "nanoseconds"),
)
"""What the two halves of a time of ROS are called."""
PARTS = re.compile(
    r"(?<![_\s.])([_\s.]++|(?<=time)|(?<=stamp))"
    r"((milli|micro|nano)seconds|seconds|s|sec|ms|us|ns|minutes|hours|millis|micros)$"
)
LAST = re.compile(r"[^./]*$")
"""The last part of a name like ``header.stamp.secs``."""
DATE_FIRST = r"(\d{4})[-./](\d{1,2})[-./](\d{1,2})[T ]"
DATE_LAST = r"(\d{1,2})[-./](\d{1,2})[-./](\d{4}),?[T ]"
OF_DAY = r"(\d{1,2}):(\d{2}):(\d{2}(?:[.,]\d+)?)"
OF_HOUR = r"^\s*(\d{1,3}):(\d{2}[.,]\d+)"
ZONE = r":\d{2}(?:[.,]\d+)?\s*([+-])(\d{2}):?(\d{2})?$"
CLOCK = re.compile(
    r"(?:(?:\d{1,4}[-./]\d{1,2}[-./]\d{1,4},?[T ]+)?\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?"
    r"|\d{1,3}:\d{2}[.,]\d+)"
    r"\s*(?:[ap]\.?m\.?)?\s*(?:Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$",
    re.IGNORECASE,
)
"""A date with a time of day, or the latter alone; minutes and seconds, if these have a fraction."""
EPOCH = (5e8, 5e9)
"""Seconds since 1970 of times between 1985 and 2128."""
UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
DAYS = ((2e4, 8e4), (6.8e5, 8e5))
"""Numbers of days of dates between 1954 and 2119, as spreadsheets and MATLAB count them."""
SLOWEST = 100.0
"""Seconds from one row to the next that no logger of motion waits."""
DAY = 86_400.0


def find_time(headers: Sequence[str]) -> str:
    """The header that names a time; empty: none does.

    >>> find_time(["hip [deg]", "Time [ms]"]), find_time(["t_ms", "x"]), find_time(["x", "total"])
    ('Time [ms]', 't_ms', '')
    >>> find_time(["x", "header.stamp.secs", "header.stamp.nsecs"])
    'header.stamp.secs'
    >>> find_time(["hours", "minutes", "seconds"]), find_time(["elapsed_milliseconds"])
    ('seconds', 'elapsed_milliseconds')
    >>> find_time(["TimeUS", "x"]), find_time(["GPS Time", "x"]), find_time(["lap_time", "x"])
    ('TimeUS', 'GPS Time', '')
    """
    whole = [h for h in headers if _is_time(h) and not _lacks_fraction(h, headers)]
    for found in (
        [h for h in whole if h.lower().strip() not in COARSE],
        whole,
        [h for h in headers if fraction_of(h, headers)],
        [h for h in headers if _is_time(_last(h))],
    ):
        if found:
            return found[0]
    return ""


def is_time(header: str) -> bool:
    """Whether a column is called as times are, also as one part of a message's stamp."""
    last = _last(header)
    return _is_time(header) or _is_time(last) or last in FRACTIONS


def fraction_of(header: str, headers: Sequence[str]) -> str:
    """The column of nanoseconds that belongs to one of seconds; empty: there is none.

    >>> fraction_of("stamp.sec", ["stamp.sec", "stamp.nanosec"])
    'stamp.nanosec'
    """
    last = _last(header)
    if last not in SECONDS:
        return ""
    prefix = header[: len(header) - len(last)]
    own = (h for h in headers if h.startswith(prefix) and _last(h) in FRACTIONS)
    return next((h for h in own if len(h) == len(prefix) + len(_last(h))), "")


def _lacks_fraction(header: str, headers: Sequence[str]) -> bool:
    return bool(fraction_of(header, headers)) and any(_is_time(h) for h in headers if h != header)


def _last(header: str) -> str:
    found = LAST.search(header)
    return found[0].lower().strip() if found else ""


def _is_time(header: str) -> bool:
    name = split_header(header)[0].lower().strip().lstrip("_%/ ")
    bare = PARTS.sub("", name) if time_unit(header) else name
    return any(each in NAMES or TIMED.match(each) for each in (name, bare))


def guessed_unit(times: np.ndarray, usual: float | None = None) -> Unit:
    """The unit of times whose header says none. Large numbers are times since 1970, or days where
    their steps are tiny; others are seconds, unless the steps are longer than motion is logged
    apart (2, or 1 in whole numbers) and than an environment's own step (``usual``, in seconds).

    >>> guessed_unit(np.array([0.0, 0.01, 0.02])).name, guessed_unit(np.array([0.0, 10, 20])).name
    ('s', 'ms')
    >>> guessed_unit(np.array([0.0, 10, 20]), usual=10.0).name
    's'
    >>> guessed_unit(45_000 + np.arange(3) / 86_400).name
    'd'
    >>> guessed_unit(np.array([1.7145e12, 1.7145e12 + 1_000])).name
    'ms'
    """
    times = times[np.isfinite(times)]
    steps = np.diff(times)
    is_coarse = len(steps) > 0 and np.mean(steps == 0) > 0.5
    steps = steps[steps > 0]
    step = float(np.median(steps)) if len(steps) else 0.0
    for name, factor in UNITS.items():
        is_epoch = (
            len(times) and EPOCH[0] < times.min() * factor and times.max() * factor < EPOCH[1]
        )
        if is_epoch and step * factor < SLOWEST:
            return Unit(name, factor, "time")
    is_day = len(times) and any(a < times.min() and times.max() < b for a, b in DAYS)
    if is_day and 0 < step < SLOWEST / DAY:
        return Unit("d", DAY, "time")
    if (
        step <= 2 * (usual or 0)
        or (step == 1 and is_coarse)  # rows of one second: no logger has several in a millisecond
        or step < 1
        or (step < 2 and not np.array_equal(times, np.round(times)))
    ):
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
    >>> seconds_of(pl.Series(["2024-05-01T02:01:00+02:00", "5/31/2024 1:01:00 PM"])).tolist()
    [1714521660.0, 1717160460.0]
    """
    table = texts.to_frame("text")
    days = table.select(
        first=_days(DATE_FIRST, 1, 2, 3), european=_days(DATE_LAST, 3, 2, 1),
        american=_days(DATE_LAST, 3, 1, 2),
    )  # fmt: skip
    last = days["american"] if _is_american(days, texts) else days["european"]
    hours, minutes = _part(OF_DAY, 1, pl.Float64), _part(OF_DAY, 2, pl.Float64)
    half = pl.col("text").str.to_lowercase().str.extract(r"\d\s*([ap])\.?m", 1)
    hours = pl.when(half.is_null()).then(hours).otherwise(hours % 12 + 12 * (half == "p"))
    of_day = hours * 3_600 + minutes * 60 + _part(OF_DAY, 3, pl.Float64)
    of_hour = _part(OF_HOUR, 1, pl.Float64) * 60 + _part(OF_HOUR, 2, pl.Float64)
    sign = pl.when(pl.col("text").str.extract(ZONE, 1) == "-").then(-1.0).otherwise(1.0)
    ahead = _part(ZONE, 2, pl.Float64) * 3_600 + _part(ZONE, 3, pl.Float64).fill_null(0.0) * 60
    found = of_day.fill_null(of_hour) - (sign * ahead).fill_null(0.0)
    total = table.select(found.alias("s"))["s"] + days["first"].fill_null(last).fill_null(0) * DAY
    return total.fill_null(np.nan).to_numpy()


def days_added(
    seconds: np.ndarray, before: tuple[float, float]
) -> tuple[np.ndarray, tuple[float, float]]:
    """Times of day that go on past midnight; ``before`` is the last of them as it was read, and
    what had been added.

    >>> days_added(np.array([86_399.0, 0.5]), (np.nan, 0.0))[0].tolist()
    [86399.0, 86400.5]
    """
    good = np.isfinite(seconds)
    times = seconds[good]
    if not len(times):
        return seconds, before
    steps = np.diff(times, prepend=before[0])
    is_midnight = (steps < -DAY / 2) & (times < DAY) & (times - steps < DAY)
    added = before[1] + DAY * np.cumsum(is_midnight)
    found = seconds.copy()
    found[good] = times + added
    return found, (float(times[-1]), float(added[-1]))


def _days(pattern: str, year: int, month: int, day: int) -> pl.Expr:
    """Days since 1970 of a date. Those past the 28th are added: a date that does not exist would be
    an error for all rows."""
    of_year, of_month = _part(pattern, year, pl.Int32), _part(pattern, month, pl.Int8)
    of_day = _part(pattern, day, pl.Int32)
    of_month = pl.when(of_month.is_between(1, 12)).then(of_month)
    of_day = pl.when(of_day.is_between(1, 31)).then(of_day)
    date = pl.date(of_year, of_month, of_day.clip(1, 28))
    return date.cast(pl.Int32) + (of_day - 28).clip(0)


def _is_american(days: pl.DataFrame, texts: pl.Series) -> bool:
    """Whether 5/6/2024 is the sixth of May: if more rows are dates then, or days lie closer."""
    if not texts.str.contains("/", literal=True).any():
        return False
    own, other = days["american"], days["european"]
    if own.null_count() != other.null_count():
        return own.null_count() < other.null_count()
    if own.null_count() == len(own):
        return False
    spans = [np.ptp(found.drop_nulls().to_numpy()) for found in (own, other)]
    return bool(spans[0] < spans[1])


def _part(pattern: str, group: int, kind: Any) -> pl.Expr:
    found = pl.col("text").str.extract(pattern, group).str.replace(",", ".", literal=True)
    return found.cast(kind, strict=False)

"""Units as they stand in headers, and what they are in SI: ``hip [deg]`` is read in radians."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

ANGLE, LENGTH, TIME, OTHER = "angle", "length", "time", "other"
BASE: dict[str, tuple[str, float]] = {
    "rad": (ANGLE, 1.0),
    "mrad": (ANGLE, 1e-3),
    "deg": (ANGLE, math.pi / 180),
    "rev": (ANGLE, 2 * math.pi),
    "m": (LENGTH, 1.0),
    "dm": (LENGTH, 0.1),
    "cm": (LENGTH, 1e-2),
    "mm": (LENGTH, 1e-3),
    "um": (LENGTH, 1e-6),
    "km": (LENGTH, 1e3),
    "in": (LENGTH, 0.0254),
    "ft": (LENGTH, 0.3048),
    "s": (TIME, 1.0),
    "ms": (TIME, 1e-3),
    "us": (TIME, 1e-6),
    "ns": (TIME, 1e-9),
    "min": (TIME, 60.0),
    "h": (TIME, 3600.0),
    "d": (TIME, 86_400.0),
    "n": (OTHER, 1.0),
    "kn": (OTHER, 1e3),  # of force, and with a capital N: see KNOTS
    "nm": (OTHER, 1.0),  # newton metres: nobody logs motion in nanometres
    "mnm": (OTHER, 1e-3),
    "°c": (OTHER, 1.0),
    "k": (OTHER, 1.0),
    "pa": (OTHER, 1.0),
    "hpa": (OTHER, 1e2),
    "kpa": (OTHER, 1e3),
    "mbar": (OTHER, 1e2),
    "bar": (OTHER, 1e5),
    "%": (OTHER, 1e-2),
    "1": (OTHER, 1.0),
    "-": (OTHER, 1.0),
    "rpm": (OTHER, 2 * math.pi / 60),
    "dps": (OTHER, math.pi / 180),
    "mps": (OTHER, 1.0),
    "kph": (OTHER, 1 / 3.6),
    "mph": (OTHER, 0.44704),
    "knot": (OTHER, 1852 / 3600),
    "nmi": (LENGTH, 1852.0),
    "mi": (LENGTH, 1609.344),
}
"""Kind and SI value of the units that are known by one word."""
ALIASES = {
    "°": "deg",
    "degc": "°c",
    "celsius": "°c",
    "kelvin": "k",
    "kmh": "kph",
    "degree": "deg",
    "degrees": "deg",
    "radian": "rad",
    "radians": "rad",
    "turn": "rev",
    "turns": "rev",
    "µm": "um",
    "μm": "um",
    "µs": "us",
    "μs": "us",
    "usec": "us",
    "msec": "ms",
    "millis": "ms",
    "milliseconds": "ms",
    "microseconds": "us",
    "micros": "us",
    "nanoseconds": "ns",
    "nsec": "ns",
    "sec": "s",
    "secs": "s",
    "second": "s",
    "seconds": "s",
    "minutes": "min",
    "hours": "h",
    "hr": "h",
    "meter": "m",
    "metre": "m",
    "meters": "m",
    "metres": "m",
    "inch": "in",
    "n*m": "nm",
    "n·m": "nm",
    "n.m": "nm",
    "knots": "knot",
    "kt": "knot",
    "kts": "knot",
    "days": "d",
    "day": "d",
    "mile": "mi",
    "miles": "mi",
    "feet": "ft",
    "percent": "%",
    "none": "1",
}
KNOTS = ("kn", "Kn", "KN")
"""The same letters as a kilonewton's, which is written kN."""
SUFFIX = re.compile(
    r"(?P<name>.+?)_(?P<unit>deg|rad|mm|cm|dps|rpm|kmh|kph|mps|kn|kts|knots"
    r"|(?P<top>deg|rad|mm|cm|m)(_per_|p|_)(s|sec)(?P<power>2?))$",
    re.IGNORECASE,
)
"""Words after an underscore that are surely units, as in ``gyro_dps`` and ``hip_deg_s``; ``_in``
and ``_ms`` (m/s?) are not."""
TIME_SUFFIXES = ("s", "sec", "ms", "us", "ns")
TIME_WORDS = (
    *("seconds", "secs", "minutes", "hours", "milliseconds", "millis"),
    *("microseconds", "micros", "nanoseconds"),
)
"""Units by which a column of times is called."""
APART = re.compile(r"(?P<name>.*\S)(?:\s+/\s*|\s*[,;]\s+)(?P<unit>[^\s,;]+)$")
"""A unit behind a stroke or a comma, ``hip / deg`` and ``hip, deg``."""
NO_UNITS = ("d", "h", "k", "n", "in")
"""What behind a stroke or a comma is as likely a name: ``lift / d``."""
BRACKETED = re.compile(r"^(?P<name>.*?\S)\s*[\[({](?P<unit>[^\[\](){}]*)[\])}]\s*$")


@dataclass(frozen=True)
class Unit:
    """A unit: what it is called, how much of the SI unit it is, and of what."""

    name: str
    factor: float
    kind: str


def parse_unit(text: str) -> Unit | None:
    """The unit that a text means; None: it means none that is known. What stands below the line is
    a time or a length.

    >>> parse_unit("deg").kind, parse_unit("mm/s").factor, parse_unit("deg/s^2").kind
    ('angle', 0.001, 'other')
    >>> parse_unit("1/m").factor, parse_unit("°C").factor, parse_unit("left")
    (1.0, 1.0, None)
    """
    word = "knot" if text.strip() in KNOTS else text
    word = word.strip().lower().replace("²", "^2").replace("**", "^")
    word = re.sub(r"s(\^?)-([12])$", lambda m: f"/s^{m[2]}", word).replace("./", "/")
    top, slash, bottom = word.partition("/")
    above = _base(top)
    if above is None or not slash:
        return None if above is None else Unit(text.strip(), above[1], above[0])
    name, _, power = bottom.partition("^")
    below = _base(name)
    if below is None or below[0] not in (TIME, LENGTH) or below[0] == above[0]:
        return None
    if power not in ("", "1", "2"):
        return None
    return Unit(text.strip(), above[1] / below[1] ** int(power or 1), OTHER)


def _base(word: str) -> tuple[str, float] | None:
    word = word.strip()
    return BASE.get(ALIASES.get(word, word))


def split_header(header: str) -> tuple[str, Unit | None]:
    """A column's name, and the unit that its header says.

    >>> split_header("hip [deg]")
    ('hip', Unit(name='deg', factor=0.017453292519943295, kind='angle'))
    >>> split_header("joint[0]"), split_header("knee_deg")[0], split_header("zoom_in")
    (('joint[0]', None), 'knee', ('zoom_in', None))
    >>> split_header("hip / deg")[0], split_header("speed, km/h")[0], split_header("a, left")
    ('hip', 'speed', ('a, left', None))
    >>> parse_unit("kn").factor.__round__(3), parse_unit("kN").factor
    (0.514, 1000.0)
    >>> split_header("gyro_x_dps")[1].name, split_header("hip_deg_s")[1].name
    ('dps', 'deg/s')
    """
    text = header.strip()
    if found := BRACKETED.match(text):
        inside = found["unit"].strip()
        unit = None if inside.isdigit() else parse_unit(inside)
        if unit is not None:
            return found["name"], unit
    if (found := APART.match(text)) and not _base(found["name"].lower().split()[-1]):
        is_name = found["unit"].isdigit() or found["unit"].lower() in NO_UNITS
        unit = None if is_name else parse_unit(found["unit"])
        if unit is not None:
            return found["name"], unit
    if found := SUFFIX.match(text):
        top, power = found["top"], found["power"]
        rate = f"{top}/s^{power}" if power else f"{top}/s"
        return found["name"], parse_unit(rate if top else found["unit"])
    return text, None


def time_unit(header: str) -> Unit | None:
    """The unit of a time that a header says, also after an underscore.

    >>> time_unit("t_ms").factor, time_unit("Time (s)").factor, time_unit("stamp")
    (0.001, 1.0, None)
    """
    unit = split_header(header)[1]
    if unit is None:
        last = re.split(r"[_.\s]|(?<=time)|(?<=stamp)", header.strip().lower())[-1]
        unit = parse_unit(last) if last in (*TIME_SUFFIXES, *TIME_WORDS) else None
    return unit if unit is not None and unit.kind == TIME else None

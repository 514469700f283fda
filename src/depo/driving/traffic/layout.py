"""How a table of tracks is to be read: which column means what, in which unit, on which road."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from depo.core.codec import check_fields, decode, encode
from depo.core.errors import DepoError, readable, unknown
from depo.core.files import read_toml
from depo.driving.traffic.road import FOOT, Place, Road

FOLDER = Path(__file__).parent / "layouts"
Name = Annotated[str, msgspec.Meta(max_length=200)]
Seconds = Annotated[float, msgspec.Meta(ge=1e-3, le=60)]
Size = Annotated[float, msgspec.Meta(ge=0.1, le=1e3)]
NotNegative = Annotated[float, msgspec.Meta(ge=0, le=1e3)]
Number = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31)]
Frames = Annotated[int, msgspec.Meta(ge=1, le=10_000)]
Unit = Literal["m", "ft"]
Reference = Literal["front", "centre", "rear"]
METRES: dict[str, float] = {"m": 1.0, "ft": FOOT}
ROADS = {"i80": Road.i80, "camera6": Road.camera6}
NO_SEPARATOR = '\0\r\n".0123456789'
ROLES = (
    "vehicle",
    "frame",
    "time",
    "x",
    "y",
    "lane",
    "length",
    "width",
    "kind",
    "recording",
    "clock",
)
"""What a column can be; 'recording' and 'clock' tell recordings in one file apart."""


@dataclass(frozen=True)
class Layout:
    """A table's columns, units and road; shipped ones are TOML files, and so may a user's be.

    >>> Layout.named("coifman-li").columns["x"]
    'local_y_ft'
    """

    name: Name
    """What the layout is called."""
    columns: Mapping[Name, Name]
    """The file's column for each role: vehicle, x, frame or time; y, lane, length, width, kind,
    recording and clock (ms) where there are such. Y or lane must be there. Without a header the
    columns are called 1, 2, 3, …"""
    road: Road
    """The road that positions are on: a name (i80, camera6) or a table with a road's fields."""
    about: str = ""
    """One sentence for people."""
    cite: str = ""
    """What to cite."""
    header: bool = True
    """Whether the first line names the columns."""
    separator: str = ","
    """Between two values; ' ': any number of blanks."""
    unit: Unit = "m"
    """Of positions and sizes."""
    reference: Reference = "front"
    """The point of a vehicle whose position is given."""
    x_origin: Place = 0.0
    """Metres, in the file's coordinates, of the road's x = 0."""
    y_origin: Place = 0.0
    """Metres, in the file's coordinates, of the road's y = 0."""
    y_points_left: bool = False
    """Whether the file's lateral position grows to the left."""
    time_step: Seconds = 0.1
    """Seconds between two frames."""
    first_lane: Number = 1
    """The number of the leftmost lane."""
    unknown_lanes: tuple[Number, ...] = ()
    """Lane numbers that mean 'unknown'."""
    text_ids: bool = False
    """Whether vehicles have names rather than numbers."""
    where: Mapping[Name, Name] = field(default_factory=dict)
    """Only rows whose column has this value are read ({'Location' = 'i-80'})."""
    assumed_length: Size = 5.0
    """Where sizes are missing: no vehicle is longer than this (m), and none so long that it
    touches the one behind."""
    assumed_width: Size = 1.8
    """Where sizes are missing (m)."""
    assumed_margin: NotNegative = 1.0
    """Where sizes are missing: room that is left behind a vehicle at its smallest gap (m)."""
    lane_change: NotNegative = 4.0
    """Where the lateral position is missing: seconds in which it moves from centre to centre."""
    smooth: Frames = 1
    """Frames over which positions should be smoothed; 1: they are smooth already."""
    blacklist: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Vehicles with tracking errors, by a part of the recording's name; they are never chosen."""

    def __post_init__(self) -> None:
        check_fields(self, f"layout '{self.name}'")
        if len(self.separator) != 1 or self.separator in NO_SEPARATOR or self.separator > "~":
            raise DepoError(
                f"layout '{self.name}': separator {self.separator!r} separates nothing: give one "
                "plain character, no digit"
            )
        for role in self.columns:
            if role not in ROLES:
                raise unknown("column role", role, ROLES)
        for role in ("vehicle", "x"):
            if role not in self.columns:
                raise DepoError(f"layout '{self.name}' names no column for '{role}'")
        if ("frame" in self.columns) == ("time" in self.columns):
            raise DepoError(f"layout '{self.name}': name a column for either 'frame' or 'time'")
        if "y" not in self.columns and "lane" not in self.columns:
            raise DepoError(f"layout '{self.name}': name a column for 'y' or for 'lane', or both")

    @property
    def metres(self) -> float:
        """Metres in the file's unit."""
        return METRES[self.unit]

    @classmethod
    def named(cls, name: str | Path) -> Layout:
        """A shipped layout by its name, or one from a TOML file."""
        path = Path(name)
        if path.suffix == ".toml":
            return cls.load(path)
        known = shipped_layouts()
        if str(name) not in known:
            raise unknown("layout", str(name), known)
        return cls.load(known[str(name)])

    @classmethod
    def load(cls, path: str | Path) -> Layout:
        """Read a TOML file."""
        path = Path(path)
        stored = {"name": path.stem, **read_toml(path)}
        if isinstance(road := stored.get("road"), str):
            if road not in ROADS:
                raise DepoError(f"{path}: {unknown('road', road, ROADS)}")
            stored["road"] = encode(ROADS[road]())
        return decode(cls, stored, str(path))

    def blacklisted(self, recording: str) -> tuple[int, ...]:
        """The vehicles that are known to be wrong in the recording of this name."""
        return tuple(v for part, ids in self.blacklist.items() if part in recording for v in ids)


def shipped_layouts() -> dict[str, Path]:
    """Name and file of every layout in the package.

    >>> "ngsim-text" in shipped_layouts() and "ngsim-portal" in shipped_layouts()
    True
    """
    return {path.stem: path for path in sorted(FOLDER.glob("*.toml"))}


def layout_for(names: tuple[str, ...], path: Path) -> Layout:
    """The shipped layout that fits a table's columns best; without a header they are 1, 2, 3, …"""
    have = {name.lower() for name in names}
    fitting = [
        layout
        for layout in (Layout.load(file) for file in shipped_layouts().values())
        if layout.header == (names[:1] != ("1",))
        and {column.lower() for column in [*layout.columns.values(), *layout.where]} <= have
        and (layout.header or len(names) == HEADERLESS[layout.name])
    ]
    if not fitting:
        raise DepoError(
            f"{path} fits no known layout (columns: {readable(', '.join(names[:30])) or 'none'}): "
            "describe it in a TOML file and pass --layout FILE (docs: Traffic)"
        )
    return max(fitting, key=lambda layout: len(layout.columns))


HEADERLESS = {"ngsim-text": 18}
"""How many columns a file without a header has, by layout."""

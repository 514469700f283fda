"""A recording of traffic: where every vehicle was in every frame, and the file it is kept in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np

from depo.core.codec import Positive, decode, encode
from depo.core.errors import DepoError
from depo.core.files import parse_object
from depo.core.formats import Format
from depo.core.npz import array_names, read_npz, write_npz
from depo.driving.traffic.packing import pack, unpack
from depo.driving.traffic.road import Ramp, Road

__all__ = ["Ramp", "Recording", "Road", "Track"]

FORMAT = Format("traffic recording", key="version")
Resolution = Annotated[float, msgspec.Meta(ge=1e-9, le=10)]
RESOLUTION = 0.005
"""Metres between two positions that the file can tell apart."""


FURTHEST, LONGEST = 1e7, 1e3
"""Metres: nobody is further from the origin, and no vehicle is longer."""
LARGEST = 2**53
"""Of a number that floats hold exactly."""
MOST_FRAMES, MOST_AT_ONCE = 2**20, 5_000
"""Frames of a recording, and vehicles in one of them."""


class Track(NamedTuple):
    """What was recorded of one vehicle, frame after frame."""

    frame: np.ndarray
    x: np.ndarray
    y: np.ndarray
    lane: np.ndarray


@dataclass(frozen=True, eq=False)
class Recording:
    """Tracks of vehicles, one row for each vehicle and frame, in metres; frames have no gaps.

    Rows are sorted by vehicle, then frame. Vehicle v, numbered from 0, has the rows
    ``begin[v]`` to ``begin[v + 1]`` and was seen in the frames from ``first_frame[v]`` on, one
    row each: its row in frame f is ``begin[v] + f - first_frame[v]``. Arrays are read-only.

    >>> recording = Recording(
    ...     road=Road.i80(), name="two", begin=np.array([0, 3, 5]), first_frame=np.array([7, 8]),
    ...     x=np.array([0.0, 1.0, 2.0, 50.0, 51.0]), y=np.full(5, 2.0), lane=np.zeros(5, int),
    ...     length=np.array([4.5, 12.0]), width=np.array([1.8, 2.5]))
    >>> recording.vehicles, recording.frames, recording.vehicle.tolist()
    (2, (7, 10), [0, 0, 0, 1, 1])
    >>> recording.track(1).frame.tolist(), recording.original_id.tolist()
    ([8, 9], [0, 1])
    """

    road: Road
    """The road in the same coordinates."""
    begin: np.ndarray
    """(V+1) where a vehicle's rows begin; the last number is how many rows there are."""
    first_frame: np.ndarray
    """(V) the frame of a vehicle's first row."""
    x: np.ndarray
    """(rows) metres along the road, of the middle of the rear bumper."""
    y: np.ndarray
    """(rows) metres to the right, of the same point."""
    lane: np.ndarray
    """(rows) lane from the left, counted from 0; −1: unknown; the ramp: ``road.lanes``."""
    length: np.ndarray
    """(V) metres."""
    width: np.ndarray
    """(V) metres."""
    original_id: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """(V) the number a vehicle had in the file (v unless given); pieces of one track share it."""
    kind: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """(V) NGSIM's class: 1 motorcycle, 2 car, 3 truck, 0 unknown (unless given)."""
    time_step: float = 0.1
    """Seconds between two frames."""
    name: str = ""
    """What the recording is called."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Where it is from, and what was done to it; plain JSON."""

    def __post_init__(self) -> None:
        vehicles = len(np.atleast_1d(self.begin)) - 1
        default = {"original_id": np.arange(vehicles), "kind": np.zeros(vehicles)}
        for column, kind in DTYPES.items():
            given = np.asarray(getattr(self, column))
            given = given if given.size else np.asarray(default.get(column, given))
            array = _as(kind, given, column)
            array.setflags(write=False)
            object.__setattr__(self, column, array)
        _check(self)

    @property
    def vehicles(self) -> int:
        """How many vehicles there are."""
        return len(self.begin) - 1

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.x)

    @property
    def frames(self) -> tuple[int, int]:
        """The first frame anybody was seen in, and the one after the last."""
        return int(self.first_frame.min()), int((self.first_frame + self.durations).max())

    @property
    def seconds(self) -> float:
        """How long the recording is."""
        first, end = self.frames
        return (end - first) * self.time_step

    @property
    def durations(self) -> np.ndarray:
        """(V) in how many frames each vehicle was seen."""
        return np.diff(self.begin)

    @cached_property
    def vehicle(self) -> np.ndarray:
        """(rows) the vehicle of each row, numbered from 0."""
        return np.repeat(np.arange(self.vehicles, dtype=np.int32), self.durations)

    @cached_property
    def frame(self) -> np.ndarray:
        """(rows) the frame of each row."""
        offset = self.first_frame - self.begin[:-1]
        return np.arange(self.rows) + np.repeat(offset, self.durations)

    def track(self, vehicle: int | np.integer) -> Track:
        """The rows of one vehicle."""
        rows = slice(int(self.begin[vehicle]), int(self.begin[vehicle + 1]))
        first = int(self.first_frame[vehicle])
        frames = np.arange(first, first + rows.stop - rows.start)
        return Track(frames, self.x[rows], self.y[rows], self.lane[rows])

    @cached_property
    def notes(self) -> Notes:
        """What the metadata say that is of use here."""
        return decode(Notes, encode(self.metadata), f"recording '{self.name}'", strict=False)

    def __iter__(self) -> Iterator[Track]:
        """The tracks, vehicle after vehicle."""
        return (self.track(v) for v in range(self.vehicles))

    def save(self, path: str | Path, *, resolution: float = RESOLUTION) -> Path:
        """Write one plain ``.npz``, atomically; positions are rounded to ``resolution`` metres.

        Tracks are kept as second differences of whole numbers, which are small and pack well.
        """
        own = _About(resolution, self.time_step, self.name, self.road, self.metadata)
        about = {FORMAT.key: FORMAT.current, **encode(own)}
        arrays: dict[str, np.ndarray] = {"about": np.array(json.dumps(about, allow_nan=False))}
        for column in PLAIN:
            arrays[column] = getattr(self, column)
        for column in ("length", "width"):
            arrays[column] = np.round(getattr(self, column) / resolution).astype(np.int32)
        for column, order in PACKED.items():
            rows = getattr(self, column) / (1 if column == "lane" else resolution)
            whole = np.round(rows).astype(np.int64)
            arrays[f"{column}_start"], arrays[column] = pack(whole, self.begin, order)
        return write_npz(path, arrays)

    @classmethod
    def load(cls, path: str | Path) -> Recording:
        """Read and check a file; pickled contents are refused, never run."""
        path = Path(path)
        arrays = read_npz(path, STORED)
        try:
            _check_stored(arrays)
            stored = parse_object(str(arrays["about"]), "'about'")
            about = decode(_About, FORMAT.migrated(stored, "'about'"), "'about'")
            resolution = about.resolution
            columns = {name: arrays[name] for name in PLAIN}
            for name in ("length", "width"):
                columns[name] = arrays[name] * resolution
            for name, order in PACKED.items():
                whole = unpack(arrays[f"{name}_start"], arrays[name], arrays["begin"], order)
                columns[name] = whole * (1 if name == "lane" else resolution)
            return cls(
                road=about.road,
                time_step=about.time_step,
                name=about.name,
                metadata=about.metadata,
                **columns,
            )
        except DepoError as error:
            raise DepoError(f"{path}: {error}") from None
        except (KeyError, ValueError, TypeError, IndexError) as error:
            raise DepoError(
                f"{path} is no traffic recording ({type(error).__name__}: {error}): make one with "
                "'depo demos from-traffic'"
            ) from None


@dataclass(frozen=True)
class Part:
    """One of the recordings that were joined."""

    first_frame: int


@dataclass(frozen=True)
class Notes:
    """Of a recording's metadata, which may say anything, what is read again."""

    cite: str = ""
    smooth: Positive = 1
    blacklist: tuple[int, ...] = ()
    recordings: tuple[Part, ...] = ()


@dataclass(frozen=True)
class _About:
    """What a file says beside its arrays."""

    resolution: Resolution
    time_step: float
    name: str
    road: Road
    metadata: Mapping[str, Any]


def is_recording(path: Path) -> bool:
    """Whether a file looks like a recording of traffic rather than demonstrations."""
    return {"about", "first_frame"} <= array_names(path)


PLAIN = ("begin", "first_frame", "original_id", "kind")
"""Columns that the file holds as they are."""
PACKED = {"x": 2, "y": 2, "lane": 1}
"""Columns that the file holds as differences of this order."""
DTYPES: dict[str, type] = {
    "begin": np.int64,
    "first_frame": np.int64,
    "x": np.float64,
    "y": np.float64,
    "lane": np.int8,
    "length": np.float64,
    "width": np.float64,
    "original_id": np.int64,
    "kind": np.int8,
}


STORED = ("about", *PLAIN, "length", "width", *PACKED, *(f"{name}_start" for name in PACKED))


def _as(kind: type, given: np.ndarray, column: str) -> np.ndarray:
    """A copy of numbers as their column keeps them, which must have room for them."""
    if given.dtype.kind not in "biuf":
        raise DepoError(f"'{column}' has dtype {given.dtype}: expected numbers")
    if given.size and np.issubdtype(kind, np.integer):
        room = np.iinfo(kind)
        if not (np.isfinite(given).all() and room.min <= given.min() <= given.max() <= room.max):
            raise DepoError(f"'{column}' holds numbers that are no {np.dtype(kind).name}: damaged?")
    return np.array(given, kind)


def _check_stored(arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse arrays that are no lists of whole numbers, or that do not fit each other: tracks are
    unpacked by them."""
    for name in STORED:
        if name not in arrays:
            raise DepoError(
                f"it has no array '{name}', so it is no traffic recording: make one with "
                "'depo demos from-traffic'"
            )
        is_text = name == "about"
        kinds, rank = ("U", 0) if is_text else ("iu", 1)
        if arrays[name].ndim != rank or arrays[name].dtype.kind not in kinds:
            expected = "a text" if is_text else "a list of whole numbers"
            raise DepoError(f"'{name}' is not {expected}: damaged?")
    begin = arrays["begin"]
    vehicles, rows = len(begin) - 1, len(arrays["x"])
    if vehicles < 1 or begin[0] != 0 or begin[-1] != rows or (begin[1:] <= begin[:-1]).any():
        raise DepoError("no vehicles, or 'begin' does not run from 0 to the number of rows")
    for name in STORED[1:]:
        expected_length = rows if name in PACKED else vehicles + (name == "begin")
        if len(arrays[name]) != expected_length:
            raise DepoError(f"'{name}' has {len(arrays[name])} numbers, not {expected_length}")
        if name not in PACKED and np.abs(arrays[name].astype(float)).max() > LARGEST:
            raise DepoError(f"'{name}' holds numbers beyond ±{LARGEST:,}: damaged?")


def _check(recording: Recording) -> None:
    begin, rows = recording.begin, recording.rows
    if begin.ndim != 1 or len(begin) < 2 or begin[0] != 0 or begin[-1] != rows:
        raise DepoError("no vehicles, or 'begin' does not run from 0 to the number of rows")
    if (np.diff(begin) < 1).any():
        raise DepoError(f"vehicle {int(np.argmax(np.diff(begin) < 1))} has no rows")
    for column in ("x", "y", "lane"):
        if getattr(recording, column).shape != (rows,):
            raise DepoError(f"'{column}' has not one number for each of the {rows} rows")
    for column in ("first_frame", "length", "width", "original_id", "kind"):
        if getattr(recording, column).shape != (len(begin) - 1,):
            raise DepoError(
                f"'{column}' has not one number for each of the {len(begin) - 1} vehicles"
            )
    if not (np.isfinite(recording.x).all() and np.isfinite(recording.y).all()):
        raise DepoError("positions contain NaN or infinite numbers")
    for column in ("length", "width"):
        sizes = getattr(recording, column)
        if not (sizes > 0).all() or not np.isfinite(sizes).all():
            bad = int(np.argmin(np.isfinite(sizes) & (sizes > 0)))
            raise DepoError(f"vehicle {bad} has {column} {sizes[bad]}: sizes must be positive")
    if not 0 < recording.time_step <= 60:
        raise DepoError(f"time step {recording.time_step} s: it must be positive, at most a minute")
    _check_ranges(recording)


def _check_ranges(recording: Recording) -> None:
    """Refuse what no road has; tables by frame are made of recordings, and sums over them."""
    for column, most in {"x": FURTHEST, "y": FURTHEST, "length": LONGEST, "width": LONGEST}.items():
        if np.abs(getattr(recording, column)).max() > most:
            raise DepoError(f"'{column}' holds numbers beyond {most:,.0f} m: other units?")
    if recording.lane.min() < -1 or recording.lane.max() > recording.road.lanes:
        raise DepoError(f"'lane' is not from −1 to {recording.road.lanes} everywhere: damaged?")
    if np.abs(recording.first_frame).max() > LARGEST:
        raise DepoError(f"'first_frame' holds numbers beyond ±{LARGEST:,}: damaged?")
    first, end = recording.frames
    if end - first > MOST_FRAMES:
        raise DepoError(
            f"{end - first:,} frames are more than the {MOST_FRAMES:,} of one recording: cut it"
        )
    check_at_once(recording.frame)


def check_at_once(frame: np.ndarray) -> None:
    """Refuse frames with more vehicles than a road has room for: all pairs are looked at."""
    at_once = int(np.unique(frame, return_counts=True)[1].max(initial=0))
    if at_once > MOST_AT_ONCE:
        raise DepoError(
            f"{at_once:,} vehicles in one frame are more than {MOST_AT_ONCE:,}: are frames "
            "numbered, or is it another column?"
        )

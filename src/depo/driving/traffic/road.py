"""The stretch of road a recording was made on: lanes, on-ramp and the zone that is driven in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
import numpy as np

from depo.core.codec import check_fields
from depo.core.errors import DepoError

FOOT = 0.3048
"""Metres in a foot."""
KILOMETRES_PER_HOUR = 1 / 3.6
"""Metres per second in a kilometre per hour."""


Place = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]
"""Metres along or across a road; no road is longer."""
NARROWEST = 0.1
"""Metres: no lane is narrower."""
Lanes = Annotated[int, msgspec.Meta(ge=1, le=100)]


@dataclass(frozen=True)
class Ramp:
    """An on-ramp on the right that tapers away: y may go up to right edge + extra − slope·x."""

    extra: Place
    """How far beyond the right edge a vehicle may be at x = 0 (m)."""
    slope: Place
    """How much less that becomes with every metre of road; past the taper's end it is negative."""
    joins: Place
    """From where (x of the front, m) the ramp and the rightmost lane are neighbours."""

    def __post_init__(self) -> None:
        check_fields(self, "ramp")


@dataclass(frozen=True)
class Road:
    """A straight road in metres: x along it, y to the right, lane 0 the leftmost.

    >>> road = Road.i80()
    >>> road.lanes, round(road.right_edge, 1), [round(x, 1) for x in road.zone]
    (6, 22.2, [36.1, 251.3])
    >>> road.lane_of(np.array([-1.0, 0.1, 22.1, 25.0])).tolist()
    [-1, 0, 5, 6]
    """

    length: Place
    """From x = 0 to here vehicles are recorded (m)."""
    lanes: Lanes
    """Main lanes; a ramp is lane number ``lanes``."""
    lane_width: Place
    """Width of every lane (m)."""
    zone: tuple[Place, Place]
    """The valid zone: from rear x > start to front x < end a vehicle may be driven (m)."""
    lateral_origin: Place = 0.0
    """y of lane 0's left edge (m)."""
    ramp: Ramp | None = None
    """The on-ramp, if there is one."""

    def __post_init__(self) -> None:
        check_fields(self, "road")
        start, end = self.zone
        if not (self.length > 0 and self.lanes > 0 and self.lane_width > 0):
            raise DepoError(
                f"a road of {self.length} m with {self.lanes} lanes of {self.lane_width} m: "
                "all three must be positive"
            )
        if not NARROWEST <= self.lane_width <= self.length:
            raise DepoError(
                f"lane_width {self.lane_width} m is not between {NARROWEST} m and the road's length"
            )
        if not 0 <= start < end <= self.length:
            raise DepoError(
                f"valid zone {start} to {end} m: it must lie within the road, 0 to {self.length} m"
            )

    @classmethod
    def i80(cls) -> Road:
        """I-80 as the authors cut it out: 85 lane widths of 3.7 m, 130 km/h of look-ahead.

        They count in pixels, 24 to a lane; 53 px and 432 px belong to the ramp.
        """
        lane, ahead = 3.7, 130 * KILOMETRES_PER_HOUR
        return cls(
            length=85 * lane,
            lanes=6,
            lane_width=lane,
            zone=(ahead, 85 * lane - 1.75 * ahead),
            ramp=Ramp(extra=53 * lane / 24, slope=0.035, joins=432 * lane / 24),
        )

    @classmethod
    def camera6(cls) -> Road:
        """The 84 m of I-80 that camera 6 saw (Coifman & Li 2017): six lanes of 12 ft, no ramp.

        Vehicles are seen from when their front is at x = 0 to when it is at 66 to 80 m; the zone
        leaves room for the vehicle behind, and for rears to be seen leaving it.
        """
        length = (1518 - 1242) * FOOT
        return cls(length=length, lanes=6, lane_width=12 * FOOT, zone=(6.0, 58.0))

    @property
    def right_edge(self) -> float:
        """y of the rightmost main lane's right edge (m)."""
        return self.lateral_origin + self.lanes * self.lane_width

    def right_limit(self, x: Any) -> Any:
        """The largest y that is still road at x: the right edge, or the ramp's taper."""
        if self.ramp is None:
            return self.right_edge + 0.0 * x
        return self.right_edge + self.ramp.extra - self.ramp.slope * x

    def off_road(self, x: Any, y: Any) -> Any:
        """Whether a vehicle's point is left of the left edge or right of the limit."""
        return (y < self.lateral_origin) | (y > self.right_limit(x))

    def lane_centre(self, lane: Any) -> Any:
        """y of a lane's centre; the ramp counts as one more lane."""
        return self.lateral_origin + (lane + 0.5) * self.lane_width

    def lane_of(self, y: np.ndarray) -> np.ndarray:
        """The lane of a lateral position: −1 left of the road, ``lanes`` right of it."""
        lane = np.floor((np.asarray(y) - self.lateral_origin) / self.lane_width)
        return np.clip(lane, -1, self.lanes).astype(np.int8)

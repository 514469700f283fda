"""What a user may choose about driving; no JAX here, so that help is quick."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from depo.core.codec import check_fields
from depo.core.errors import DepoError

ID = "depo/Driving-v0"
FORMULAS = "depo.driving.skill"
"""The module of the vehicles' formulas; it needs JAX."""
Part = Literal["train", "validation", "test", "all"]
Arrival = Literal["cut", "end"]
View = Literal["absolute", "gaps"]
HORIZON = 1_500


@dataclass(frozen=True)
class DrivingSettings:
    """A recording, the vehicles whose place is taken in it, and what ours is like."""

    recording: str = ""
    """A file of 'depo demos from-traffic', or a shipped name; empty: the recording that ships."""
    vehicle: Literal["normal", "inverse", "transpose", "truck"] = "normal"
    """What an action does: as usual, with the other sign, its numbers exchanged; or a truck."""
    part: Part = "train"
    """Whose place is taken: the vehicles to train on, to choose a model by, to test on, or all."""
    horizon: int = HORIZON
    """Steps until an episode is cut."""
    overlap: float = 1.0
    """A collision is an overlap deeper than this along every side (m); 0: any overlap. Recorded
    sizes and positions are not exact, so the authors forgive a metre."""
    arrival: Arrival = "cut"
    """Arrival cuts the episode (the road goes on, so its value is estimated), or ends it."""
    neighbours: View = "absolute"
    """How the six around are seen: where on the road they are, or from the ego, bumper to bumper,
    as a radar does. The gaps that decide are metres, the road is hundreds: beside it they are hard
    to make out; and from rear to rear they hide how long a vehicle is."""

    def __post_init__(self) -> None:
        check_fields(self, "driving")
        if not 1 <= self.horizon <= HORIZON:
            raise DepoError(f"horizon {self.horizon} is not between 1 and {HORIZON:,}")
        if not self.overlap >= 0:
            raise DepoError(f"overlap {self.overlap} is negative: 0 counts every touch")


def formula_of(vehicle: str) -> str:
    """The name of the formula that is a vehicle's skill.

    >>> formula_of("truck")
    'depo.driving.skill:truck'
    """
    return f"{FORMULAS}:{vehicle}"

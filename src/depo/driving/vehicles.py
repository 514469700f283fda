"""Vehicles: what an action in [−1,1]² does. The road and its states stay the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.core.errors import unknown

MOST_ACCELERATION = 40 * 3.7 / 24
"""m/s²: 40 px/s² of the authors', 24 px to a lane of 3.7 m."""
MOST_CURVATURE = 0.01 * 24 / 3.7
"""1/m: 0.01 per pixel; a circle of 15 m."""
AGILE_LENGTH = 25 * 3.7 / 24
"""m: longer vehicles turn less, by (this/length)²."""

Command = Literal["normal", "inverse", "transpose"]


@dataclass(frozen=True)
class Vehicle:
    """Limits, size, and how an action is read.

    Action (1, 1) is the hardest acceleration and the sharpest turn of the vehicle. What a vehicle
    of its length cannot turn is clipped: the state tells no length, so the scale cannot know it.

    >>> round(VEHICLES["inverse"].decode(jnp.array([0.5, 1.0]))[0].item(), 3)
    -3.083
    """

    name: str
    """What it is called."""
    command: Command = "normal"
    """How an action is read: as it is, with the other sign, or with its two numbers exchanged."""
    acceleration: float = MOST_ACCELERATION
    """The hardest acceleration (m/s²)."""
    braking: float = MOST_ACCELERATION
    """The hardest braking (m/s²)."""
    curvature: float = MOST_CURVATURE
    """The sharpest turn (1/m)."""
    length_scale: float = 1.0
    """Length, in lengths of the recorded vehicle whose place it takes."""
    width_scale: float = 1.0
    """Width, in its widths."""

    def decode(
        self, action: Float[Array, "*batch 2"]
    ) -> tuple[Float[Array, "*batch"], Float[Array, "*batch"]]:
        """Acceleration and curvature of an action; beyond ±1 it is clipped."""
        action = self._exchanged(jnp.clip(action, -1.0, 1.0))
        forward, turn = action[..., 0], action[..., 1]
        return (
            forward * jnp.where(forward < 0, self.braking, self.acceleration),
            turn * self.curvature,
        )

    def encode(
        self, acceleration: Float[Array, "*batch"], curvature: Float[Array, "*batch"]
    ) -> Float[Array, "*batch 2"]:
        """The action that asks for them, clipped to ±1: the inverse of :meth:`decode`."""
        forward = acceleration / jnp.where(acceleration < 0, self.braking, self.acceleration)
        action = jnp.stack([forward, curvature / self.curvature], axis=-1)
        return self._exchanged(jnp.clip(action, -1.0, 1.0))

    def most_curvature(self, length: Any) -> Any:
        """The sharpest turn of a vehicle this long."""
        return self.curvature * jnp.minimum((AGILE_LENGTH / length) ** 2, 1.0)

    def _exchanged(self, action: Array) -> Array:
        """Its own inverse."""
        if self.command == "inverse":
            return -action
        return action[..., ::-1] if self.command == "transpose" else action


VEHICLES = {
    vehicle.name: vehicle
    for vehicle in (
        Vehicle("normal"),
        Vehicle("inverse", command="inverse"),
        Vehicle("transpose", command="transpose"),
        Vehicle(
            "truck",
            acceleration=1.5,
            braking=4.0,
            curvature=MOST_CURVATURE / 2,
            length_scale=1.5,
            width_scale=1.2,
        ),
    )
}
"""The paper's three vehicles and a truck, by name."""


def find_vehicle(name: str) -> Vehicle:
    """The vehicle of that name."""
    if name not in VEHICLES:
        raise unknown("vehicle", name, VEHICLES)
    return VEHICLES[name]

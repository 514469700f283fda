"""The motion of recorded vehicles: their tracks, driven by the kinematics they obey."""

from __future__ import annotations

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from depo.core.errors import DepoError
from depo.driving.kinematics import Pose, controls, move
from depo.driving.traffic.recording import Recording
from depo.driving.vehicles import VEHICLES

ROLLING = 5 * 0.3048
"""m/s: from this speed on a displacement tells a vehicle's first heading."""
CATCH_UP = 1.0
"""s: the time in which a vehicle that its limits held back returns to its track."""
FEWEST = 3
"""Positions that make a motion: two velocities, one change between them."""


Velocity = tuple[Float[Array, "*batch"], Float[Array, "*batch"]]
Track = tuple[
    Float[Array, "*batch"], Float[Array, "*batch"], Float[Array, "*batch"], Float[Array, "*batch"]
]
"""Position and velocity: x, y, vx, vy."""


class Motion(NamedTuple):
    """Poses of all vehicles, one row for each frame; vehicle v has rows begin[v] to begin[v+1].

    In its last frame a vehicle keeps the velocity it had; vehicles seen too shortly have no rows.
    """

    pose: Pose
    begin: np.ndarray
    first_frame: np.ndarray

    @property
    def durations(self) -> np.ndarray:
        """In how many frames each vehicle has a pose."""
        return np.diff(self.begin)

    def vehicle(self) -> np.ndarray:
        """The vehicle of each row."""
        return np.repeat(np.arange(len(self.first_frame)), self.durations)

    def frame(self) -> np.ndarray:
        """The frame of each row."""
        offset = self.first_frame - self.begin[:-1]
        return np.arange(self.begin[-1]) + np.repeat(offset, self.durations)


def motion_of(recording: Recording) -> Motion:
    """Drive every vehicle along its track.

    That is the (a, b) that lead to the track's next velocity, within the limits of a normal
    vehicle of that length; what the limits cost is caught up in about a second. So every pose can
    be reached from the one before, whatever the recording's noise.
    """
    counts = recording.durations
    kept = np.flatnonzero(counts >= FEWEST)
    if not len(kept):
        raise DepoError(f"recording '{recording.name}' has no vehicle seen in {FEWEST} frames")
    longest = int(counts[kept].max())
    x, y = (
        _continued(column, recording.begin[kept], counts[kept], longest + 1)
        for column in (recording.x, recording.y)
    )
    poses = _driven(
        jnp.asarray(x, jnp.float32),
        jnp.asarray(y, jnp.float32),
        jnp.asarray(_first_headings(x, y, recording.time_step), jnp.float32),
        jnp.asarray(recording.length[kept], jnp.float32),
        recording.time_step,
    )
    durations = np.zeros(recording.vehicles, np.int64)
    durations[kept] = counts[kept]
    inside = (np.arange(longest)[:, None] < counts[kept]).T
    return Motion(
        Pose(*(np.asarray(column).T[inside] for column in poses)),  # type: ignore[arg-type]
        np.concatenate([[0], np.cumsum(durations)]),
        recording.first_frame,
    )


def _continued(column: np.ndarray, begin: np.ndarray, counts: np.ndarray, times: int) -> np.ndarray:
    """(times, vehicles): tracks side by side, each going on after its end as it ended."""
    time, last = np.arange(times)[:, None], counts - 1
    beyond = np.maximum(time - last, 0)
    ended = column[begin + last] - column[begin + last - 1]
    return column[begin + np.minimum(time, last)] + beyond * ended


def _first_headings(x: np.ndarray, y: np.ndarray, time_step: float) -> np.ndarray:
    """(2, vehicles): the direction of the first displacement at speed; else along the road."""
    dx, dy = np.diff(x, axis=0), np.diff(y, axis=0)
    way = np.hypot(dx, dy)
    rolling = way >= ROLLING * time_step
    first, every = np.argmax(rolling, axis=0), np.arange(x.shape[1])
    norm = np.maximum(way[first, every], 1e-12)
    known = rolling.any(axis=0)
    return np.where(known, np.stack([dx[first, every], dy[first, every]]) / norm, [[1.0], [0.0]])


def towards(pose: Pose, track: Track, time_step: float) -> Velocity:
    """The velocity to aim at, for a vehicle that shall follow a track one step ahead.

    The next position is settled already; what it will miss of the track is added to the track's
    velocity, so that it is caught up in :data:`CATCH_UP` seconds.
    """
    x, y, vx, vy = track
    dx, dy = (v * time_step for v in pose.velocity())
    return vx + (x - pose.x - dx) / CATCH_UP, vy + (y - pose.y - dy) / CATCH_UP


@eqx.filter_jit
def _driven(
    x: Float[Array, "times vehicles"],
    y: Float[Array, "times vehicles"],
    heading: Float[Array, "2 vehicles"],
    length: Float[Array, " vehicles"],
    time_step: float,
) -> Pose:
    """Poses along the tracks, (times − 1, vehicles)."""
    vehicle = VEHICLES["normal"]
    most = vehicle.most_curvature(length)
    vx, vy = jnp.diff(x, axis=0) / time_step, jnp.diff(y, axis=0) / time_step
    begin = Pose(x[0], y[0], jnp.sqrt(vx[0] ** 2 + vy[0] ** 2), heading[0], heading[1])

    def step(pose: Pose, track: Track) -> tuple[Pose, Pose]:
        target = towards(pose, track, time_step)
        a, b = controls(pose.velocity(), target, most, time_step)
        after = move(pose, jnp.clip(a, -vehicle.braking, vehicle.acceleration), b, time_step)
        return after, after

    _, rest = jax.lax.scan(step, begin, (x[1:-1], y[1:-1], vx[1:], vy[1:]))
    return jax.tree.map(lambda first, later: jnp.concatenate([first[None], later]), begin, rest)

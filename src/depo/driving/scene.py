"""A recording made ready to be driven in: who is where in every frame, sorted by lane."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from depo.core.errors import DepoError
from depo.driving.kinematics import Pose
from depo.driving.motion import Motion, motion_of
from depo.driving.rectangles import Rectangle
from depo.driving.traffic.recording import Recording
from depo.driving.traffic.road import Road

COLUMNS = ("front", "x", "y", "dx", "dy", "half_length", "half_width", "speed")
"""Of every vehicle: x of its front, its rectangle, its speed."""
NOWHERE = 1e6
"""Where the vehicles stand that fill up a frame (m)."""
NOBODY = -1


class Scene(eqx.Module):
    """Everybody's motion, precomputed: nobody reacts to the ego, so a step only looks it up.

    A frame's vehicles are sorted by lane, then by front; ``lane_begin`` tells where a lane begins.
    """

    others: Float[Array, "frames columns slots"]
    who: Int[Array, "frames slots"]
    lane_begin: Int[Array, "frames lists"]
    length: Float[Array, " vehicles"]
    width: Float[Array, " vehicles"]
    start: Pose
    """Where each vehicle is when it enters the zone."""
    start_frame: Int[Array, " vehicles"]
    end_frame: Int[Array, " vehicles"]
    """The last frame of the recording that each vehicle is in; a scene may hold several."""
    pose: Pose
    """Every vehicle's own motion, rows as in :class:`Motion`."""
    row_of_frame_0: Int[Array, " vehicles"]
    """Vehicle v is in frame f at row ``row_of_frame_0[v] + f``."""
    last_row: Int[Array, " vehicles"]
    drivable: Bool[Array, " vehicles"]
    """(vehicles) bool: seen in the zone and, as recorded, leaving it at its end."""
    road: Road = eqx.field(static=True)
    time_step: float = eqx.field(static=True)
    first_frame: int = eqx.field(static=True)
    """The recording's number of frame 0."""

    @property
    def frames(self) -> int:
        """How many frames there are."""
        return self.others.shape[0]

    @property
    def vehicles(self) -> int:
        """How many vehicles there are."""
        return self.length.shape[0]

    def recorded(
        self,
        vehicle: Int[Array | np.ndarray, "*batch"] | int | np.integer,
        frame: Int[Array | np.ndarray, "*batch"] | int | np.integer,
    ) -> Pose:
        """Where a vehicle is in a frame by its recording; after its end, at its end."""
        row = jnp.minimum(self.row_of_frame_0[vehicle] + frame, self.last_row[vehicle])
        return Pose(*(column[row] for column in self.pose))


def scene_of(recording: Recording) -> Scene:
    """Compute everybody's motion and sort it by frame and lane."""
    motion = motion_of(recording)
    first = int(motion.frame().min())
    others, who, lane_begin = _tables(recording, motion, first)
    start_row, drivable = _starts(recording, motion)
    if not drivable.any():
        raise DepoError(
            f"no vehicle of recording '{recording.name}' is seen in the zone, "
            f"{recording.road.zone[0]:.0f} to {recording.road.zone[1]:.0f} m, and leaving it at "
            "its end: record longer, or choose a shorter zone"
        )
    offset = motion.begin[:-1] - (motion.first_frame - first)
    return Scene(
        others=jnp.asarray(others),
        who=jnp.asarray(who),
        lane_begin=jnp.asarray(lane_begin),
        length=jnp.asarray(recording.length, jnp.float32),
        width=jnp.asarray(recording.width, jnp.float32),
        start=Pose(*(jnp.asarray(c[start_row], jnp.float32) for c in motion.pose)),
        start_frame=jnp.asarray(motion.frame()[start_row] - first, jnp.int32),
        end_frame=jnp.asarray(_ends(recording, motion) - first, jnp.int32),
        pose=Pose(*(jnp.asarray(c, jnp.float32) for c in motion.pose)),
        row_of_frame_0=jnp.asarray(offset, jnp.int32),
        last_row=jnp.asarray(motion.begin[1:] - 1, jnp.int32),
        drivable=jnp.asarray(drivable),
        road=recording.road,
        time_step=recording.time_step,
        first_frame=first,
    )


def _ends(recording: Recording, motion: Motion) -> np.ndarray:
    """The last frame of each vehicle's recording."""
    later = [part.first_frame for part in recording.notes.recordings][1:]
    of = np.searchsorted(later, recording.first_frame, side="right")
    latest = np.zeros(len(later) + 1, np.int64)
    np.maximum.at(latest, of[motion.vehicle()], motion.frame())
    return latest[of]


def rectangle(pose: Pose, length: Any, width: Any) -> Rectangle:
    """The area a vehicle covers, from its rear bumper on."""
    half = length / 2
    return Rectangle(
        pose.x + half * pose.dx, pose.y + half * pose.dy, pose.dx, pose.dy, half, width / 2
    )


def _tables(
    recording: Recording, motion: Motion, first: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Dense tables: columns by frame, who it is, where each lane's list begins."""
    vehicle, frame = motion.vehicle(), motion.frame() - first
    body = rectangle(motion.pose, recording.length[vehicle], recording.width[vehicle])
    front = np.asarray(motion.pose.x + recording.length[vehicle] * motion.pose.dx)
    lanes = recording.road.lanes + 1
    lane = np.clip(recording.road.lane_of(np.asarray(motion.pose.y)), 0, lanes - 1)
    order = np.lexsort((front, lane, frame))
    frame, lane, vehicle = frame[order], lane[order], vehicle[order]
    frames = int(frame[-1]) + 1
    in_frame = np.bincount(frame, minlength=frames)
    slot = np.arange(len(frame)) - np.repeat(np.cumsum(in_frame) - in_frame, in_frame)
    slots = int(in_frame.max()) + 1  # at least one is nobody
    columns = (front, *body, motion.pose.speed)
    others = np.zeros((frames, len(COLUMNS), slots), np.float32)
    others[:, :2] = NOWHERE
    for i, column in enumerate(columns):
        others[frame, i, slot] = np.asarray(column)[order]
    who = np.full((frames, slots), NOBODY, np.int32)
    who[frame, slot] = vehicle
    in_lane = np.bincount(frame * lanes + lane, minlength=frames * lanes).reshape(frames, lanes)
    lane_begin = np.zeros((frames, lanes + 1), np.int32)
    lane_begin[:, 1:] = np.cumsum(in_lane, axis=1)
    return others, who, lane_begin


def _starts(recording: Recording, motion: Motion) -> tuple[np.ndarray, np.ndarray]:
    """The row in which each vehicle is first in the zone, and whether it goes through all of it."""
    vehicle = motion.vehicle()
    x = np.asarray(motion.pose.x)
    front = x + recording.length[vehicle] * np.asarray(motion.pose.dx)
    begin, end = recording.road.zone
    start_row = np.zeros(recording.vehicles, np.int64)
    inside = np.flatnonzero((x > begin) & (front < end))
    enters, where = np.unique(vehicle[inside], return_index=True)
    start_row[enters] = inside[where]
    drivable = np.zeros(recording.vehicles, bool)
    drivable[enters] = True
    arrives = np.zeros(recording.vehicles, bool)
    arrives[vehicle[x > end]] = True
    return start_row, drivable & arrives

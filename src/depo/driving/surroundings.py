"""What a driver sees: its own motion and the six vehicles around it; and whether it has hit one."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from depo.driving.kinematics import Pose
from depo.driving.rectangles import Rectangle, overlap
from depo.driving.scene import Scene, rectangle

NEIGHBOURS = (
    "left behind",
    "left ahead",
    "behind",
    "ahead",
    "right behind",
    "right ahead",
)
"""The six vehicles around the ego, in the order of the state: by lane, then by front."""
FEATURES = tuple(f"{who} {what}" for who in ("ego", *NEIGHBOURS) for what in ("x", "y", "vx", "vy"))
"""Names of the 28 numbers of a state: metres, and metres per second."""
GAP_FEATURES = tuple(
    name if name.startswith("ego") else name.replace(" x", " gap").replace(" y", " aside")
    for name in FEATURES
)
"""The same where neighbours are seen from the ego: gap along the road, offset across it, and how
much faster they are."""
RANGE = 40.0
"""Gaps are seen up to this (m); who is not there is that far away and as fast as the ego."""
_SIDE = np.array([-1.0, 1.0] * 3, np.float32)
"""Whether each neighbour is behind or ahead."""


def look(
    scene: Scene,
    vehicle: Int[Array, ""],
    frame: Int[Array, ""],
    pose: Pose,
    size: tuple[Float[Array, ""], Float[Array, ""]],
    depth: float = 0.0,
    gaps: bool = False,
) -> tuple[Float[Array, " 28"], Bool[Array, ""]]:
    """The state seen from a pose in a vehicle's place, and whether somebody is there already.

    All others of the frame have moved to it. The state is ego, then neighbours, each as
    (x, y, vx, vy); for one that is missing, the ego again. With ``gaps`` neighbours are seen
    from the ego, as a radar does: from bumper to bumper, negative behind.
    """
    frame = jnp.minimum(frame, scene.frames - 1)
    others, who = scene.others[frame], scene.who[frame]
    hit = overlap(rectangle(pose, *size), Rectangle(*others[1:7]), depth) & (who != vehicle)
    front = pose.x + size[0] * pose.dx
    index, exists = _neighbours(scene, vehicle, frame, pose.y, front, others[0], who)
    _, x, y, dx, dy, half_length, _, speed = others[:, index]
    seen = jnp.stack([x - half_length * dx, y - half_length * dy, speed * dx, speed * dy], axis=1)
    own = jnp.stack([pose.x, pose.y, *pose.velocity()])
    if gaps:
        gap = x - _SIDE * half_length * dx - jnp.where(_SIDE > 0, front, pose.x)
        gap = jnp.where(exists, jnp.clip(gap, -RANGE, RANGE), _SIDE * RANGE)
        around = jnp.where(exists[:, None], seen - own, 0.0).at[:, 0].set(gap)
    else:
        around = jnp.where(exists[:, None], seen, own)
    return jnp.concatenate([own[None], around]).ravel(), hit.any()


def _neighbours(
    scene: Scene,
    vehicle: Int[Array, ""],
    frame: Int[Array, ""],
    y: Float[Array, ""],
    front: Float[Array, ""],
    fronts: Float[Array, " slots"],
    who: Int[Array, " slots"],
) -> tuple[Int[Array, " 6"], Bool[Array, " 6"]]:
    """Slots of the six vehicles around, and which of them are there."""
    road, lane_begin = scene.road, scene.lane_begin[frame]
    lane = jnp.floor((y - road.lateral_origin) / road.lane_width).astype(jnp.int32)
    lane = jnp.clip(lane, 0, road.lanes)
    joined = front > (jnp.inf if road.ramp is None else road.ramp.joins)
    left = (lane > 0) & ((lane < road.lanes) | joined)
    right = (lane + 1 < road.lanes) | ((lane + 1 == road.lanes) & joined)
    lanes = jnp.clip(lane + jnp.array([-1, 0, 1]), 0, road.lanes)
    first, end = lane_begin[lanes], lane_begin[lanes + 1]
    slot = jnp.arange(fronts.shape[0])
    in_lane = (slot >= first[:, None]) & (slot < end[:, None])
    ahead = first + jnp.sum(in_lane & (fronts <= front), axis=1)
    behind = ahead - 1
    # the vehicle whose place is taken drives on as recorded, but is not there
    behind = behind - (who[jnp.maximum(behind, 0)] == vehicle)
    ahead = ahead + (who[ahead] == vehicle)
    index = jnp.stack([behind, ahead], axis=1)
    is_open = jnp.stack([left, jnp.array(True), right])
    exists = (index >= first[:, None]) & (index < end[:, None]) & is_open[:, None]
    return jnp.clip(index, 0, fronts.shape[0] - 1).ravel(), exists.ravel()

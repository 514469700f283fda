"""What a driver sees: its own motion and the six vehicles around it; and whether it has hit one."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from depo.environments.driving.kinematics import Pose
from depo.environments.driving.rectangles import Rectangle, overlap
from depo.environments.driving.scene import Scene, rectangle

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
RELATIVE_FEATURES = tuple(
    name if name.startswith("ego") else f"{name} from ego" for name in FEATURES
)
"""The same where neighbours are seen from the ego."""


def from_ego(state: Float[Array, "*copies 28"]) -> Float[Array, "*copies 28"]:
    """The state with its neighbours as seen from the ego; nobody there is nothing but zeros.

    >>> from_ego(jnp.arange(28.0))[:8].tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0, 4.0, 4.0, 4.0]
    """
    return jnp.concatenate([state[..., :4], state[..., 4:] - _own(state)], axis=-1)


def on_the_road(state: Float[Array, "*copies 28"]) -> Float[Array, "*copies 28"]:
    """The inverse of :func:`from_ego`."""
    return jnp.concatenate([state[..., :4], state[..., 4:] + _own(state)], axis=-1)


def _own(state: Float[Array, "*copies 28"]) -> Float[Array, "*copies 24"]:
    return jnp.concatenate([state[..., :4]] * len(NEIGHBOURS), axis=-1)


def look(
    scene: Scene,
    vehicle: Int[Array, ""],
    frame: Int[Array, ""],
    pose: Pose,
    size: tuple[Float[Array, ""], Float[Array, ""]],
    depth: float = 0.0,
) -> tuple[Float[Array, " 28"], Bool[Array, ""]]:
    """The state seen from a pose in a vehicle's place, and whether somebody is there already.

    All others of the frame have moved to it. The state is ego, then neighbours, each as
    (x, y, vx, vy); for one that is missing, the ego again.
    """
    frame = jnp.minimum(frame, scene.frames - 1)
    others, who = scene.others[frame], scene.who[frame]
    hit = overlap(rectangle(pose, *size), Rectangle(*others[1:7]), depth) & (who != vehicle)
    front = pose.x + size[0] * pose.dx
    index, exists = _neighbours(scene, vehicle, frame, pose.y, front, others[0], who)
    _, x, y, dx, dy, half_length, _, speed = others[:, index]
    seen = jnp.stack([x - half_length * dx, y - half_length * dy, speed * dx, speed * dy], axis=1)
    own = jnp.stack([pose.x, pose.y, *pose.velocity()])
    state = jnp.concatenate([own[None], jnp.where(exists[:, None], seen, own)])
    return state.ravel(), hit.any()


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

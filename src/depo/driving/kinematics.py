"""How a vehicle moves: its rear bumper's middle, a speed, a heading; acceleration and curvature.

Metres and seconds; x along the road, y to the right, so a positive curvature turns left.
"""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float

STANDING = 1e-3
"""Below this speed (m/s) a velocity tells no heading."""


class Pose(NamedTuple):
    """Where a vehicle is (the middle of its rear bumper), how fast, and its heading, length 1."""

    x: Float[Array, "*batch"]
    y: Float[Array, "*batch"]
    speed: Float[Array, "*batch"]
    dx: Float[Array, "*batch"]
    dy: Float[Array, "*batch"]

    def velocity(self) -> tuple[Float[Array, "*batch"], Float[Array, "*batch"]]:
        """(vx, vy)."""
        return self.speed * self.dx, self.speed * self.dy


def move(
    pose: Pose,
    acceleration: Float[Array, "*batch"] | float,
    curvature: Float[Array, "*batch"] | float,
    time_step: float,
) -> Pose:
    """One step: p ← p + v·d·dt, d ← (d + d⊥·b·v·dt)/‖·‖ with d⊥ = (d_y, −d_x), v ← v + a·dt ≥ 0.

    >>> after = move(Pose(*map(jnp.array, (0.0, 0.0, 10.0, 1.0, 0.0))), 5.0, 0.01, 0.1)
    >>> float(after.x), float(after.speed), round(float(after.dy), 4)
    (1.0, 10.5, -0.01)
    """
    way = pose.speed * time_step
    turn = curvature * way
    dx, dy = pose.dx + pose.dy * turn, pose.dy - pose.dx * turn
    norm = jnp.sqrt(dx**2 + dy**2)
    return Pose(
        pose.x + way * pose.dx,
        pose.y + way * pose.dy,
        jnp.maximum(pose.speed + acceleration * time_step, 0.0),
        dx / norm,
        dy / norm,
    )


def controls(
    velocity: tuple[Float[Array, "*batch"], Float[Array, "*batch"]],
    target: tuple[Float[Array, "*batch"], Float[Array, "*batch"]],
    most_curvature: Float[Array, "*batch"] | float,
    time_step: float,
) -> tuple[Float[Array, "*batch"], Float[Array, "*batch"]]:
    """The (a, b) that lead from one velocity to the next: the inverse of :func:`move`.

    b = (d'·d⊥)/((d'·d)·v·dt), bounded; a = (v'·d_b − ‖v‖)/dt, where d_b is the heading that the
    bounded b leads to. Where the target can be reached d_b = d', so a = (‖v'‖ − ‖v‖)/dt exactly;
    elsewhere it is the nearest velocity along that heading. For a target behind, b = 0. A standing
    vehicle cannot turn, and its velocity does not tell where it looks: b = 0, and the heading of
    the road is assumed.

    >>> a, b = controls((jnp.array(10.0), jnp.array(0.0)), (jnp.array(9.0), jnp.array(-0.09)), 1, 1)
    >>> round(float(b), 4), round(float(a), 3)
    (0.001, -1.0)
    """
    vx, vy = velocity
    square = vx**2 + vy**2
    moves = square > STANDING**2
    speed = jnp.sqrt(jnp.where(moves, square, 1.0))
    dx, dy = jnp.where(moves, vx / speed, 1.0), jnp.where(moves, vy / speed, 0.0)
    along, across = target[0] * dx + target[1] * dy, target[0] * dy - target[1] * dx
    can_turn = moves & (along > 0)  # towards a target behind, brake and go straight
    limit = most_curvature * speed * time_step
    turn = jnp.where(
        can_turn, jnp.clip(across / jnp.where(can_turn, along, 1.0), -limit, limit), 0.0
    )
    reached = (along + across * turn) / jnp.sqrt(1.0 + turn**2)
    now = jnp.where(moves, speed, 0.0)
    return (reached - now) / time_step, turn / (speed * time_step)

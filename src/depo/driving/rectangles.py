"""Do two rectangles on the road overlap? By separating axes."""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float


class Rectangle(NamedTuple):
    """Centre, heading of the long side (length 1), half the length, half the width."""

    x: Float[Array, "*batch"]
    y: Float[Array, "*batch"]
    dx: Float[Array, "*batch"]
    dy: Float[Array, "*batch"]
    half_length: Float[Array, "*batch"]
    half_width: Float[Array, "*batch"]


def overlap(one: Rectangle, other: Rectangle, depth: float = 0.0) -> Bool[Array, "*batch"]:
    """Whether they share an area, deeper than ``depth`` metres along each of their four axes.

    Two convex shapes are apart exactly if some line separates them, and for rectangles a line
    along one of their sides does.

    >>> car = Rectangle(*map(jnp.array, (0.0, 0.0, 1.0, 0.0, 2.0, 1.0)))
    >>> bool(overlap(car, car._replace(y=jnp.array(1.9)))), bool(overlap(car, car._replace(y=2.1)))
    (True, False)
    """
    x, y = jnp.asarray(other.x - one.x), jnp.asarray(other.y - one.y)
    cos = jnp.abs(one.dx * other.dx + one.dy * other.dy)
    sin = jnp.abs(one.dx * other.dy - one.dy * other.dx)
    return (
        (_along(x, y, one) + depth < one.half_length + _radius(other, cos, sin))
        & (_across(x, y, one) + depth < one.half_width + _radius(other, sin, cos))
        & (_along(x, y, other) + depth < other.half_length + _radius(one, cos, sin))
        & (_across(x, y, other) + depth < other.half_width + _radius(one, sin, cos))
    )


def _along(x: Array, y: Array, of: Rectangle) -> Array:
    return jnp.abs(x * of.dx + y * of.dy)


def _across(x: Array, y: Array, of: Rectangle) -> Array:
    return jnp.abs(x * of.dy - y * of.dx)


def _radius(of: Rectangle, long_share: Array, wide_share: Array) -> Array:
    """How far a rectangle reaches from its centre in a direction."""
    return of.half_length * long_share + of.half_width * wide_share

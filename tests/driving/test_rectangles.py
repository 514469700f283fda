"""Do two rectangles overlap? Compared with Shapely."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import shapely
from hypothesis import assume, given
from hypothesis import strategies as st

import depo  # noqa: F401  (registers the environment)
from depo.driving.rectangles import Rectangle, overlap


@st.composite
def rectangles(draw: st.DrawFn) -> Rectangle:
    angle = draw(st.floats(-np.pi, np.pi))
    return Rectangle(
        *(
            np.float64(value)
            for value in (
                draw(st.floats(-6, 6)),
                draw(st.floats(-6, 6)),
                np.cos(angle),
                np.sin(angle),
                draw(st.floats(0.5, 8)),
                draw(st.floats(0.3, 1.5)),
            )
        )
    )


@given(rectangles(), rectangles())
def test_overlap_agrees_with_shapely(one: Rectangle, other: Rectangle) -> None:
    def polygon(r: Rectangle) -> object:
        d = np.array([r.dx, r.dy]) * r.half_length
        n = np.array([-r.dy, r.dx]) * r.half_width
        centre = np.array([r.x, r.y])
        return shapely.Polygon([centre + d + n, centre + d - n, centre - d - n, centre - d + n])

    shared = polygon(one).intersection(polygon(other)).area
    apart = polygon(one).distance(polygon(other))
    assume(shared > 1e-6 or apart > 1e-4)  # float32 cannot tell a touch
    assert bool(overlap(one, other)) == (shared > 0)
    assert bool(overlap(one, other)) == bool(overlap(other, one))


def test_a_depth_forgives_shallow_overlaps() -> None:
    car = Rectangle(*(jnp.array(v) for v in (0.0, 0.0, 1.0, 0.0, 2.0, 1.0)))
    beside, behind = car._replace(y=jnp.array(1.5)), car._replace(x=jnp.array(-3.5))
    for other in (beside, behind):
        assert overlap(car, other)
        assert overlap(car, other, 0.4)
        assert not overlap(car, other, 0.6)

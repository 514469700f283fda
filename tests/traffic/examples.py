"""Small recordings for the tests: made up, or drawn by hypothesis."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from depo.traffic import Recording, Road


def recording_of(tracks: list[tuple[int, Any, Any]], **more: Any) -> Recording:
    """Tracks (first frame, x, y) as a recording on I-80; cars of 4.5 m × 1.8 m unless said."""
    road = more.pop("road", Road.i80())
    x = [np.asarray(x, float) for _, x, _ in tracks]
    y = [
        np.broadcast_to(np.asarray(y, float), xs.shape)
        for (_, _, y), xs in zip(tracks, x, strict=True)
    ]
    rows = np.concatenate(y)
    return Recording(
        road=road,
        begin=np.concatenate([[0], np.cumsum([len(xs) for xs in x])]),
        first_frame=np.array([first for first, _, _ in tracks]),
        x=np.concatenate(x),
        y=rows,
        lane=road.lane_of(rows),
        length=more.pop("length", np.full(len(tracks), 4.5)),
        width=more.pop("width", np.full(len(tracks), 1.8)),
        name=more.pop("name", "made up"),
        **more,
    )


@st.composite
def recordings(draw: st.DrawFn, longest: int = 30) -> Recording:
    """One to five vehicles that move as vehicles do; ids are not in order."""
    vehicles = draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    tracks = []
    for _ in range(vehicles):
        frames = int(rng.integers(2, longest + 1))
        speed = np.clip(rng.uniform(0, 25) + np.cumsum(rng.normal(0, 0.2, frames)), 0, 40)
        x = rng.uniform(-5, 300) + 0.1 * np.cumsum(speed)
        y = rng.uniform(0.5, 25.0) + np.cumsum(rng.normal(0, 0.02, frames))
        tracks.append((int(rng.integers(1, 50)), x, y))
    return recording_of(
        tracks,
        length=rng.uniform(2, 20, vehicles),
        width=rng.uniform(1, 2.6, vehicles),
        original_id=rng.permutation(1000)[:vehicles],
        kind=rng.integers(1, 4, vehicles),
    )


def same(first: Recording, second: Recording, within: float) -> None:
    """Assert that two recordings hold the same tracks."""
    for column in ("begin", "first_frame", "lane", "original_id", "kind"):
        np.testing.assert_array_equal(getattr(first, column), getattr(second, column), column)
    for column in ("x", "y", "length", "width"):
        difference = np.abs(getattr(first, column) - getattr(second, column))
        assert difference.max() <= within, column

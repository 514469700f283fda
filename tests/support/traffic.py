"""Small recordings of traffic: made by hand, drawn by hypothesis, or of a known answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from depo.driving.traffic import Recording, Road
from depo.driving.traffic.preparation import choose


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


def steady(
    frame: int, x: float, lane: float, speed: float, frames: int
) -> tuple[int, np.ndarray, np.ndarray]:
    """A vehicle at constant speed in the middle of a lane of I-80."""
    way = x + speed * 0.1 * np.arange(frames)
    return frame, way, np.full(frames, Road.i80().lane_centre(lane))


def flowing(seconds: float = 90.0, spacing: float = 25.0, seed: int = 0) -> Recording:
    """Six lanes of vehicles that speed up and slow down together, in time, lane by lane."""
    road, generator = Road.i80(), np.random.default_rng(seed)
    frames = np.arange(int(seconds * 10))
    tracks, lengths, widths = [], [], []
    for lane in range(road.lanes):
        phase, mean = generator.uniform(0, 2 * np.pi), generator.uniform(7.0, 10.0)
        speed = mean + 0.6 * mean * np.sin(2 * np.pi * frames / 250 + phase)
        way = np.concatenate([[0.0], np.cumsum(speed[:-1] * 0.1)])
        begin = road.length - 5.0 - generator.uniform(0, spacing)
        while begin + way[-1] > 30.0:
            x = begin + way
            seen = np.flatnonzero((x >= 0) & (x <= road.length))
            wander = 0.3 * np.sin(2 * np.pi * frames / 180 + generator.uniform(0, 6.3))
            if len(seen) > 40:
                y = road.lane_centre(lane) + wander[seen]
                tracks.append((int(seen[0]), x[seen], y))
                lengths.append(generator.choice([4.0, 4.5, 5.0, 9.0]))
                widths.append(generator.uniform(1.6, 2.0))
            begin -= spacing
    return choose(
        recording_of(
            tracks, road=road, length=np.array(lengths), width=np.array(widths), name="flowing"
        )
    )

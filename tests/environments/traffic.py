"""Small recordings of traffic whose answers are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from depo.traffic.preparation import choose
from depo.traffic.recording import Recording
from depo.traffic.road import Road


def recording_of(tracks: Sequence[tuple[int, np.ndarray, np.ndarray]], **changes) -> Recording:
    """Vehicles, each (first frame, x by frame, y by frame); 4.5 × 1.8 m unless told."""
    road = changes.pop("road", Road.i80())
    x = np.concatenate([track[1] for track in tracks])
    y = np.concatenate([track[2] for track in tracks])
    count = len(tracks)
    fields = {
        "length": np.full(count, 4.5),
        "width": np.full(count, 1.8),
        "first_frame": np.array([track[0] for track in tracks]),
        "name": "made by hand",
    }
    return Recording(
        road=road,
        begin=np.concatenate([[0], np.cumsum([len(track[1]) for track in tracks])]),
        x=x,
        y=y,
        lane=road.lane_of(y),
        **{**fields, **changes},
    )


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

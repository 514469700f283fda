"""Tracks put on the road of a layout: lanes, lateral positions, sizes, and the point they mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from depo.driving.traffic.layout import Layout
from depo.driving.traffic.overlaps import close_pairs
from depo.driving.traffic.recording import Recording

SMALLEST = 1.0
"""Metres: no vehicle is assumed to be shorter."""
Table = dict[str, np.ndarray]
"""Columns by name, rows by track and frame."""


def in_lanes(
    table: Table, begin: np.ndarray, layout: Layout
) -> tuple[Table, np.ndarray, dict[str, int]]:
    """Lanes from 0 and metres from the road's own origin, the one from the other where missing.

    Beside the tracks: how many rows' lanes were filled in, and how many are unknown and dropped.
    """
    if len(begin) < 2:
        return table, begin, {}
    table = dict(table)
    road, durations = layout.road, np.diff(begin)
    table["x"] = table["x"] - layout.x_origin
    if "y" in table:
        sign = -1.0 if layout.y_points_left else 1.0
        table["y"] = sign * (table["y"] - layout.y_origin) + road.lateral_origin
    lane = _plain_lanes(table.get("lane"), len(table["x"]), layout)
    unknown = lane < 0
    if "y" in table:
        table["lane"] = np.where(unknown, road.lane_of(table["y"]), lane)
        return table, begin, {"lanes_filled": int(unknown.sum())}
    table["lane"] = lane = _nearest_known(lane, begin)
    lost = np.repeat(np.add.reduceat(lane >= 0, begin[:-1]) == 0, durations)
    counts = {"lanes_filled": int((unknown & ~lost).sum()), "lanes_unknown": int(lost.sum())}
    kept = durations[~lost[begin[:-1]]]
    table = {column: array[~lost] for column, array in table.items()}
    begin = np.concatenate([[0], np.cumsum(kept)])
    window = max(1, round(layout.lane_change / layout.time_step))
    table["y"] = _moving_mean(road.lane_centre(table["lane"].astype(float)), begin, window)
    return table, begin, counts


def _plain_lanes(given: np.ndarray | None, rows: int, layout: Layout) -> np.ndarray:
    """Lanes counted from 0 at the left, the ramp and all beyond it ``lanes``; −1: unknown."""
    if given is None:
        return np.full(rows, -1)
    number = np.where(np.isfinite(given.astype(float)), given.astype(float), -1e6)
    lane = np.clip(number - layout.first_lane, -1, layout.road.lanes).astype(np.int64)
    return np.where(np.isin(number, layout.unknown_lanes), -1, lane)


def _nearest_known(lane: np.ndarray, begin: np.ndarray) -> np.ndarray:
    """Unknown lanes replaced by the last known one of the track, at its start by the next one."""
    durations, rows = np.diff(begin), np.arange(len(lane))
    start, stop = np.repeat(begin[:-1], durations), np.repeat(begin[1:], durations)
    past = np.maximum.accumulate(np.where(lane >= 0, rows, -1))
    after = np.minimum.accumulate(np.where(lane >= 0, rows, len(lane))[::-1])[::-1]
    source = np.where(past >= start, past, np.where(after < stop, after, rows))
    return lane[source]


def _moving_mean(values: np.ndarray, begin: np.ndarray, window: int) -> np.ndarray:
    """The mean over ``window`` rows around each, fewer at a track's ends."""
    durations, rows = np.diff(begin), np.arange(len(values))
    low = np.maximum(rows - window // 2, np.repeat(begin[:-1], durations))
    high = np.minimum(rows + (window + 1) // 2, np.repeat(begin[1:], durations))
    total = np.concatenate([[0.0], np.cumsum(values)])
    return (total[high] - total[low]) / (high - low)


def placed(
    table: Table, begin: np.ndarray, layout: Layout, largest: tuple[float, float], name: str
) -> tuple[Recording, int]:
    """Sizes for all, up to a length and width, and positions moved to the rear bumper.

    Beside the recording: of how many vehicles a size was assumed.
    """
    first, durations = begin[:-1], np.diff(begin)
    length = _sizes(table.get("length"), begin, largest[0])
    width = _sizes(table.get("width"), begin, largest[1])
    assumed = int((np.isnan(length) | np.isnan(width)).sum())
    width = _filled(width, layout.assumed_width)
    if np.isnan(length).all():
        length = _lengths_from_gaps(table, begin, width, layout)
    length = _filled(length, layout.assumed_length)
    share = {"front": 1.0, "centre": 0.5, "rear": 0.0}[layout.reference]
    kinds: dict[str, Any] = {"kind": table["kind"][first]} if "kind" in table else {}
    recording = Recording(
        road=layout.road,
        name=name,
        begin=begin,
        first_frame=table["frame"][first],
        x=table["x"] - np.repeat(share * length, durations),
        y=table["y"],
        lane=table["lane"],
        length=length,
        width=width,
        original_id=table["vehicle"][first],
        time_step=layout.time_step,
        **{k: np.nan_to_num(v.astype(float)) for k, v in kinds.items()},
    )
    return recording, assumed


def _sizes(rows: np.ndarray | None, begin: np.ndarray, most: float) -> np.ndarray:
    """The median of a vehicle's valid sizes, NaN where it has none."""
    vehicles = len(begin) - 1
    if rows is None:
        return np.full(vehicles, np.nan)
    number = np.repeat(np.arange(vehicles), np.diff(begin))
    valid = np.isfinite(rows) & (rows > 0) & (rows <= most)
    found = (
        pl.DataFrame({"vehicle": number[valid], "size": rows[valid].astype(float)})
        .group_by("vehicle")
        .median()
    )
    sizes = np.full(vehicles, np.nan)
    sizes[found["vehicle"].to_numpy()] = found["size"].to_numpy()
    return sizes


def _filled(sizes: np.ndarray, assumed: float) -> np.ndarray:
    """The recording's median where a vehicle has no size; if none has, what the layout assumes."""
    known = sizes[~np.isnan(sizes)]
    return np.where(np.isnan(sizes), np.median(known) if len(known) else assumed, sizes)


def _lengths_from_gaps(
    table: Table, begin: np.ndarray, width: np.ndarray, layout: Layout
) -> np.ndarray:
    """As long as fits: min(assumed length, the vehicle's own smallest gap − margin).

    A vehicle reaches back from its front, so the gap that bounds it is the one to whoever is
    behind; where the rear is given, the one ahead bounds it.
    """
    number = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    length = np.full(len(begin) - 1, layout.assumed_length)
    reach = layout.assumed_length + layout.assumed_margin
    for behind, ahead in close_pairs(table["frame"], table["x"], reach):
        b, a = number[behind], number[ahead]
        meets = np.abs(table["y"][behind] - table["y"][ahead]) < (width[b] + width[a]) / 2
        room = (table["x"][ahead] - table["x"][behind])[meets] - layout.assumed_margin
        if layout.reference != "rear":
            np.minimum.at(length, a[meets], room)
        if layout.reference != "front":
            np.minimum.at(length, b[meets], room)
    return np.maximum(length, SMALLEST)

"""NGSIM's classic text, 18 columns in feet, written from a recording."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from depo.core.files import write_bytes
from depo.driving.traffic.layout import Layout
from depo.driving.traffic.recording import Recording
from depo.driving.traffic.road import FOOT

LAYOUT = "ngsim-text"


def write_text(recording: Recording, path: str | Path) -> Path:
    """Write the 18 columns: what ``read_recordings`` reads as the layout 'ngsim-text'.

    Speed, acceleration and the neighbours are worked out from the positions; global positions
    repeat the local ones.
    """
    layout, v, begin = Layout.named(LAYOUT), recording.vehicle, recording.begin
    unique = len(np.unique(recording.original_id)) == recording.vehicles
    ids = recording.original_id if unique else np.arange(1, recording.vehicles + 1)
    front = _feet(recording.x + recording.length[v] + layout.x_origin)
    across = _feet(recording.y - recording.road.lateral_origin)
    speed = _slope(front, begin, recording.time_step)
    preceding, following = _neighbours(recording, front)
    spacing = np.where(preceding >= 0, np.round(front[preceding] - front, 3), 0.0)
    moving = (speed > 0) & (preceding >= 0)
    headway = np.divide(spacing, speed, out=np.where(preceding >= 0, 9999.99, 0.0), where=moving)
    frame = recording.frame
    table = pl.DataFrame(
        {
            "Vehicle_ID": ids[v],
            "Frame_ID": frame,
            "Total_Frames": recording.durations[v],
            "Global_Time": np.round(frame * recording.time_step * 1000).astype(np.int64),
            "Local_X": across,
            "Local_Y": front,
            "Global_X": across,
            "Global_Y": front,
            "v_Length": _feet(recording.length)[v],
            "v_Width": _feet(recording.width)[v],
            "v_Class": recording.kind[v],
            "v_Vel": speed,
            "v_Acc": _slope(speed, begin, recording.time_step),
            "Lane_ID": recording.lane.astype(np.int64) + layout.first_lane,
            "Preceding": np.where(preceding >= 0, ids[v[preceding]], 0),
            "Following": np.where(following >= 0, ids[v[following]], 0),
            "Space_Headway": spacing,
            "Time_Headway": headway,
        }
    )
    text = table.write_csv(separator=" ", include_header=False, float_precision=3)
    write_bytes(Path(path), text.encode())
    return Path(path)


def _feet(metres: np.ndarray) -> np.ndarray:
    return np.round(metres / FOOT, 3) + 0.0  # no −0


def _slope(values: np.ndarray, begin: np.ndarray, time_step: float) -> np.ndarray:
    """Change per second since the row before; a track's first row has that of its second."""
    change = np.diff(values, prepend=values[:1]) / time_step
    first = begin[:-1]
    change[first] = change[np.minimum(first + 1, begin[1:] - 1)]
    change[first[np.diff(begin) == 1]] = 0.0
    return np.round(change, 3) + 0.0


def _neighbours(recording: Recording, front: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows ahead and behind in the same frame and lane, −1 where there is none."""
    order = np.lexsort((front, recording.lane, recording.frame))
    same = (np.diff(recording.frame[order]) == 0) & (np.diff(recording.lane[order]) == 0)
    preceding, following = np.full((2, recording.rows), -1)
    preceding[order[:-1][same]] = order[1:][same]
    following[order[1:][same]] = order[:-1][same]
    return preceding, following

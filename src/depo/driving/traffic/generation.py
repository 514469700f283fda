"""A recording made with SUMO: written as NGSIM's text, and read back as any other."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from xml.etree import ElementTree

import polars as pl

from depo.driving.traffic.layout import Layout
from depo.driving.traffic.reading import read_recordings
from depo.driving.traffic.recording import Recording
from depo.driving.traffic.repair import Report, repair
from depo.driving.traffic.road import Road
from depo.driving.traffic.simulation import SimulationSettings, simulate
from depo.driving.traffic.text import LAYOUT, write_text

MARGIN = 10.0
"""Metres of road before and after I-80's stretch that are kept."""
SUMO = Layout(
    name="sumo",
    columns={"vehicle": "id", "frame": "frame", "x": "x", "y": "y"},
    road=Road.i80(),
    reference="front",
    y_points_left=True,
)
CLASSES = {"motorcycle": 1, "passenger": 2, "delivery": 2, "truck": 3, "trailer": 3}
"""NGSIM's class for SUMO's."""


def make_traffic(
    settings: SimulationSettings, text: str | Path | None = None, name: str = "traffic"
) -> tuple[Recording, Report]:
    """Simulate, write the 18 columns (to ``text``, or to a file that is thrown away), read them."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        positions = simulate(settings, folder)
        made, _ = repair(_rows(positions, folder / "traffic.xml"), SUMO, name)
        path = write_text(made, Path(text) if text else folder / f"{name}.txt")
        [(recording, report)] = read_recordings(path, LAYOUT)
    about = {**recording.metadata, "cite": "", "source": "SUMO", "simulation": asdict(settings)}
    return replace(recording, name=name, metadata=about), report


def _rows(positions: Path, types: Path) -> pl.DataFrame:
    """SUMO's positions with the sizes of the types; vehicles are numbered as they appear."""
    sizes = pl.DataFrame(
        [
            {
                "type": vehicle.get("id"),
                "length": float(vehicle.get("length", "nan")),
                "width": float(vehicle.get("width", "nan")),
                "kind": CLASSES[vehicle.get("vClass", "passenger")],
            }
            for vehicle in ElementTree.parse(types).iter("vType")
        ]
    )
    rows = pl.read_csv(positions, separator=";").select(
        pl.col("timestep_time").alias("time"),
        pl.col("vehicle_id").alias("id"),
        pl.col("vehicle_type").alias("type"),
        pl.col("vehicle_x").alias("x"),
        # inside a junction, a hand wide here, SUMO mirrors the place across the lane
        pl.when(~pl.col("vehicle_lane").str.starts_with(":")).then("vehicle_y").alias("y"),
    )
    rows = rows.sort("id", "time").with_columns(pl.col("y").interpolate().over("id"))
    rows = rows.filter(pl.col("x").is_between(-MARGIN, SUMO.road.length + MARGIN))
    seen = rows.group_by("id").agg(pl.col("time").min().alias("seen")).sort("seen", "id")
    numbers = seen.with_row_index("vehicle", offset=1).select("id", "vehicle")
    frame = ((pl.col("time") - pl.col("time").min()) / SUMO.time_step).round().cast(pl.Int64) + 1
    return (
        rows.with_columns(frame.alias("frame"))
        .join(numbers, on="id")
        .join(sizes, on="type")
        .select(pl.col("vehicle").cast(pl.Int64), "frame", "x", "y", "length", "width", "kind")
    )

"""Time and peak memory of making a scene of a big file in the data portal's layout.

    python benchmarks/traffic_reading.py --rows 10000000 --file portal.csv

The file is made first, if it is not there: three recordings of one place, ids reused, rows in no
order. The reading is done by ``depo demos from-traffic`` in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

SLOTS, FRAMES = 3, 9_000
FOOT = 0.3048


def portal_rows(rng: np.random.Generator, rows: int, slot: int) -> pl.DataFrame:
    """Vehicles that follow each other in six lanes at 2 to 15 m/s, one every few seconds."""
    seconds = np.arange(FRAMES + 900) / 10
    speed = 8 + 6 * np.sin(2 * np.pi * seconds / 90 + slot)
    driven = np.concatenate([[0.0], np.cumsum(speed / 10)])
    duration = 700
    vehicles = rows // duration
    start = np.sort(rng.integers(0, FRAMES, vehicles))
    t = start[:, None] + np.arange(duration)
    local_y = (driven[np.minimum(t, len(driven) - 1)] - driven[start][:, None]) / FOOT
    lane = rng.integers(1, 7, vehicles)[:, None]
    flat = {
        "Vehicle_ID": np.broadcast_to(np.arange(1, vehicles + 1)[:, None], t.shape),
        "Frame_ID": t,
        "Total_Frames": np.full(t.shape, duration),
        "Global_Time": 1_113_433_000_000 + 3_600_000 * slot + 100 * t,
        "Local_X": (lane - 0.5) * 12 + rng.normal(0, 0.5, (vehicles, 1)),
        "Local_Y": local_y,
        "Global_X": 6_042_000 + local_y,
        "Global_Y": 2_133_000 + local_y,
        "v_length": rng.uniform(12, 20, (vehicles, 1)),
        "v_Width": rng.uniform(5.5, 8, (vehicles, 1)),
        "v_Class": np.full(t.shape, 2),
        "v_Vel": np.full(t.shape, 25.0),
        "v_Acc": np.zeros(t.shape),
        "Lane_ID": lane,
        "Preceding": np.zeros(t.shape, int),
        "Following": np.zeros(t.shape, int),
        "Space_Headway": np.zeros(t.shape),
        "Time_Headway": np.zeros(t.shape),
    }
    table = {name: np.broadcast_to(values, t.shape).ravel() for name, values in flat.items()}
    return pl.DataFrame(table).with_columns(Location=pl.lit("i-80"))


def write_portal(path: Path, rows: int) -> None:
    rng = np.random.default_rng(0)
    tables = [portal_rows(rng, rows // SLOTS, slot) for slot in range(SLOTS)]
    shuffled = pl.concat(tables).sample(fraction=1.0, shuffle=True, seed=1)
    shuffled.write_csv(path, float_precision=3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--file", type=Path, default=Path("portal.csv"))
    flags = parser.parse_args()
    if not flags.file.exists():
        write_portal(flags.file, flags.rows)
    scene = str(flags.file.with_suffix(".npz"))
    command = [sys.executable, "-m", "depo", "demos", "from-traffic", str(flags.file)]
    began = time.perf_counter()
    with tempfile.TemporaryFile("w+") as answer:
        child = subprocess.Popen([*command, "--out", scene, "--json"], stdout=answer)
        _, status, usage = os.wait4(child.pid, 0)
        answer.seek(0)
        about = json.loads(answer.read())
    assert status == 0, about
    print(f"file           {flags.file.stat().st_size / 1e9:.2f} GB")
    print(f"rows read      {sum(report['rows'] for report in about['reports'].values()):,}")
    print(f"seconds        {time.perf_counter() - began:.0f}")
    print(f"of computing   {usage.ru_utime + usage.ru_stime:.0f}")
    print(f"peak memory    {usage.ru_maxrss * 1024 / 1e9:.2f} GB")


if __name__ == "__main__":
    main()

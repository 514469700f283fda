"""Does a long run leak? Hours of `depo` on Hopper, looked at from outside every half minute.

    python benchmarks/long_run.py --hours 2 --run runs/long --out long-run.csv
    python benchmarks/long_run.py --draw long-run.csv --figure long-run.png

A child process trains with a small replay (full after minutes, so that its own growth is over) and
a checkpoint every 2,000 steps, more often than anybody needs: what leaks at a checkpoint leaks
hundreds of times. Memory is the proportional set size (PSS), which counts shared pages once. After
a warm-up it has a slope, by least squares, with a 95% interval from a bootstrap over ten-minute
blocks of residuals. The run is flat if that interval ends below 1% of the memory for each hour, and
if memory maps, open files and threads are no more in the second half than in the first.
"""

from __future__ import annotations

import argparse
import csv
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from depo.runs.checkpoints import CHECKPOINTS
from depo.runs.run import TIMING
from depo.runs.tables import append_csv

STEPS = 10_000_000  # more than fit into the time
TRAIN = ["--env", "hopper", "--steps", str(STEPS), "--replay", "20000", "--skill-replay", "20000"]
TRAIN += ["--evaluate-every", "8", "--checkpoint-every", "1"]  # bursts of 250 steps
WARM_UP = 0.25  # of the time: compilation, the replay filling up, allocators finding their size
MAY_GROW = 0.01  # of the memory, each hour
MEGABYTE = 2**20
COUNTS = ("maps", "files", "threads")


def process_columns(pid: int) -> dict[str, float]:
    """Memory in MB, maps, open files and threads of a process."""
    proc = Path("/proc") / str(pid)
    rollup = dict(line.split()[:2] for line in (proc / "smaps_rollup").open() if ":" in line[:20])
    status = dict(line.split(":", 1) for line in (proc / "status").open())
    return {
        "rss_mb": round(float(rollup["Rss:"]) / 1024, 2),
        "pss_mb": round(float(rollup["Pss:"]) / 1024, 2),
        "maps": sum(1 for _ in (proc / "maps").open()),
        "files": sum(1 for _ in (proc / "fd").iterdir()),
        "threads": int(status["Threads"]),
    }


def folder_size(folder: Path) -> float:
    """In MB; files may go while one looks."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            continue
    return total / MEGABYTE


class Checkpoints:
    """How long the newest checkpoint took, seen from outside: an evaluation ends with a line in
    timing.csv, a checkpoint with the rename of its folder."""

    def __init__(self, run: Path):
        self.run, self.seen, self.seconds = run, "", [0.0]

    def look(self) -> None:
        """Often enough that no checkpoint comes and goes in between."""
        folders = sorted((self.run / CHECKPOINTS).glob("[0-9]*"))
        if not folders or folders[-1].name == self.seen or not (self.run / TIMING).exists():
            return
        took = folders[-1].stat().st_ctime - (self.run / TIMING).stat().st_mtime
        self.seen = folders[-1].name
        if took > 0:
            self.seconds.append(took)


def steps_done(run: Path) -> int:
    lines = (run / TIMING).read_text().splitlines() if (run / TIMING).exists() else []
    return int(lines[-1].split(",")[0]) if len(lines) > 1 else 0


def watch(child: subprocess.Popen[bytes], asked: argparse.Namespace) -> None:
    """A row of the table every so many seconds, until time is up or the child ends."""
    began = before = time.monotonic()
    checkpoints, steps = Checkpoints(asked.run), 0
    while (now := time.monotonic()) - began < asked.hours * 3600 and child.poll() is None:
        checkpoints.look()
        if now - before >= asked.every:
            done = steps_done(asked.run)
            row: dict[str, Any] = {"minutes": round((now - began) / 60, 2), "env_steps": done}
            row |= {"steps_per_second": round((done - steps) / (now - before), 1)}
            row |= process_columns(child.pid)
            row |= {"folder_mb": round(folder_size(asked.run), 2)}
            row |= {"checkpoint_seconds": round(checkpoints.seconds[-1], 3)}
            append_csv(asked.out, [row])
            before, steps = now, done
        time.sleep(0.5)


def slope(minutes: np.ndarray, values: np.ndarray) -> tuple[float, float, float]:
    """For each hour, and a 95% interval by resampling ten-minute blocks of residuals."""
    hours = minutes / 60
    line = np.polyfit(hours, values, 1)
    fitted = np.polyval(line, hours)
    residuals = values - fitted
    length = max(1, int(np.searchsorted(minutes, minutes[0] + 10)))
    generator, count = np.random.default_rng(0), len(values)
    slopes = []
    for _ in range(2_000):
        starts = generator.integers(0, max(1, count - length + 1), size=-(-count // length))
        picked = np.concatenate([residuals[i : i + length] for i in starts])[:count]
        slopes.append(np.polyfit(hours, fitted + picked, 1)[0])
    low, high = np.quantile(slopes, [0.025, 0.975])
    return float(line[0]), float(low), float(high)


def verdict(table: dict[str, np.ndarray]) -> tuple[bool, str]:
    """Whether the run is flat after its warm-up, and the figures that say so."""
    minutes = table["minutes"]
    late = minutes >= WARM_UP * minutes[-1]
    memory = table["pss_mb"][late]
    grows, low, high = slope(minutes[late], memory)
    half = len(memory) // 2
    more = [n for n in COUNTS if table[n][late][half:].max() > table[n][late][:half].max()]
    flat = high < MAY_GROW * memory.mean() and not more
    text = f"{'flat' if flat else 'GROWS'}: memory {memory.mean():.0f} MB, "
    text += f"{grows:+.2f} MB/h (95%: {low:+.2f} to {high:+.2f})"
    return flat, text + (f"; more {', '.join(more)}" if more else "")


def draw(table: dict[str, np.ndarray], title: str, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    panels = (
        ("memory [MB]", ("rss_mb", "pss_mb")),
        ("number of", COUNTS),
        ("run folder [MB]", ("folder_mb",)),
        ("checkpoint [s]", ("checkpoint_seconds",)),
        ("steps so far", ("env_steps",)),
    )
    figure, axes = pyplot.subplots(len(panels), sharex=True, figsize=(8, 10), layout="constrained")
    for axis, (label, names) in zip(axes, panels, strict=True):
        for name in names:
            axis.plot(table["minutes"], table[name], label=name, linewidth=1.2)
        axis.axvspan(0, WARM_UP * table["minutes"][-1], color="0.93")
        axis.set_ylabel(label)
        axis.set_ylim(bottom=0)
        if len(names) > 1:
            axis.legend(loc="center right", frameon=False)
    axes[-1].set_xlabel("minutes (grey: warm-up)")
    figure.suptitle(title)
    figure.savefig(path, dpi=90)


def read(path: Path) -> dict[str, np.ndarray]:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--every", type=float, default=30.0, help="seconds between two rows")
    parser.add_argument("--run", type=Path, default=Path("runs/long"), help="the run's folder")
    parser.add_argument("--out", type=Path, default=Path("long-run.csv"))
    parser.add_argument("--draw", type=Path, help="only judge and draw this table")
    parser.add_argument("--figure", type=Path, default=Path("long-run.png"))
    asked = parser.parse_args()
    if asked.draw is None:
        command = [sys.executable, "-m", "depo", "train", "depo", *TRAIN, "--out", str(asked.run)]
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            watch(child, asked)
        finally:
            child.send_signal(signal.SIGINT)
            child.wait()
    table = read(asked.draw or asked.out)
    flat, text = verdict(table)
    draw(table, text, asked.figure)
    print(text)
    return 0 if flat else 1


if __name__ == "__main__":
    sys.exit(main())

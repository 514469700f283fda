"""Learning curves with processor time beside them: what benchmarks of whole trainings share."""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

FLAGS = "XLA_FLAGS"
SINGLE = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


class Training(NamedTuple):
    """One seed of one method on one task."""

    method: str
    task: str
    demos: str
    preset: str
    seed: int
    steps: int

    @property
    def name(self) -> str:
        """Of its folder."""
        return f"{self.task}-{self.method}-{self.preset}-{self.steps}-{self.seed}"


class Point(NamedTuple):
    """One evaluation."""

    steps: int
    score: float
    worst: float
    relative: float
    reach_error: float
    core_seconds: float


def measure(
    trainings: Iterable[Training], folder: Path, workers: int
) -> dict[Training, list[Point]]:
    """The curve of every training, each in a process of its own on one core; what is already in the
    folder is not repeated."""
    asked = list(trainings)
    with ProcessPoolExecutor(workers, get_context("spawn"), max_tasks_per_child=1) as pool:
        futures = {each: pool.submit(_measure, each, folder) for each in asked}
        return {each: future.result() for each, future in futures.items()}


def _measure(asked: Training, folder: Path) -> list[Point]:
    path = folder / f"{asked.name}.csv"
    if not path.exists():
        _train(asked, folder / asked.name, path)
    with path.open(newline="") as file:
        rows = [[float(x) for x in row] for row in list(csv.reader(file))[1:]]
    return [Point(int(steps), *rest) for steps, *rest in rows]


def _train(asked: Training, run: Path, path: Path) -> None:
    os.environ[FLAGS] = f"{SINGLE} {os.environ.get(FLAGS, '')}".strip()
    import depo
    from depo.core.files import write_bytes

    points = []

    def look(evaluation: depo.Evaluation) -> None:
        row = evaluation.means
        points.append(
            Point(
                evaluation.steps,
                row["return"],
                row["return_worst_episode"],
                row.get("return_relative", float("nan")),
                row.get("reach_error_relative", float("nan")),
                time.process_time(),
            )
        )

    depo.train(
        asked.method,
        env=asked.task,
        demos=asked.demos,
        preset=asked.preset,
        seed=asked.seed,
        steps=asked.steps,
        out=run,
        callbacks=[depo.Call(look)],
        progress=False,
    )
    lines = [",".join(Point._fields), *(",".join(f"{x:g}" for x in point) for point in points)]
    write_bytes(path, "\n".join(lines).encode() + b"\n")


def seconds_to(points: list[Point], share: float) -> float:
    """Processor time until the first evaluation with that share of the expert's return."""
    reached = (point.core_seconds for point in points if point.relative >= share)
    return next(reached, float("inf"))

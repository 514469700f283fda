"""TensorBoard event files, derived from metrics.csv and nothing else."""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from tensorboardX import SummaryWriter

from depo.runs.run import Run


class Events:
    """Writes rows as they come; begins by writing again what metrics.csv already holds."""

    def __init__(self, run: Run):
        self._folder = run.path / "events"
        shutil.rmtree(self._folder, ignore_errors=True)
        self._writers: dict[int, SummaryWriter] = {}
        self.add(run.metrics())

    def add(self, rows: Sequence[Mapping[str, float]]) -> None:
        """One scalar for each metric of each row."""
        for row in rows:
            seed, step = int(row["seed"]), int(row["env_steps"])
            for name, value in row.items():
                if name not in ("seed", "env_steps") and math.isfinite(value):
                    self._writer(seed).add_scalar(name, float(value), step)

    def close(self) -> None:
        """Flush and close."""
        for writer in self._writers.values():
            writer.close()

    def _writer(self, seed: int) -> SummaryWriter:
        if seed not in self._writers:
            self._writers[seed] = SummaryWriter(str(Path(self._folder) / f"seed-{seed}"))
        return self._writers[seed]

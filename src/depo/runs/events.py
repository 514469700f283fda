"""TensorBoard event files, derived from metrics.csv and nothing else.

Where they cannot be written (a full disk) they are given up: nothing depends on them, and a resumed
run writes them anew.
"""

from __future__ import annotations

import contextlib
import logging
import math
import shutil
import time
from collections.abc import Mapping, Sequence

from tensorboardX.event_file_writer import EventsWriter
from tensorboardX.proto.event_pb2 import Event
from tensorboardX.summary import scalar

from depo.runs.run import Run


class Events:
    """Writes rows as they come; begins by writing again what metrics.csv already holds."""

    def __init__(self, run: Run):
        self._folder = run.path / "events"
        shutil.rmtree(self._folder, ignore_errors=True)
        self._writers: dict[int, EventsWriter] = {}
        self._given_up = False
        self.add(run.metrics())

    def add(self, rows: Sequence[Mapping[str, float]]) -> None:
        """One scalar for each metric of each row."""
        if self._given_up:
            return
        try:
            for row in rows:
                self._write(row)
            for writer in self._writers.values():
                writer.flush()
        except OSError as error:
            self._given_up = True
            logging.getLogger("depo").warning(
                "cannot write %s: %s; TensorBoard will not see the rest", self._folder, error
            )

    def close(self) -> None:
        """Flush and close."""
        for writer in self._writers.values():
            with contextlib.suppress(OSError):
                writer.close()

    def _write(self, row: Mapping[str, float]) -> None:
        seed, step = int(row["seed"]), int(row["env_steps"])
        if seed not in self._writers:
            folder = self._folder / f"seed-{seed}"
            folder.mkdir(parents=True, exist_ok=True)
            self._writers[seed] = EventsWriter(str(folder / "events"))
        for name, value in row.items():
            if name not in ("seed", "env_steps") and math.isfinite(value):
                summary = scalar(name, float(value))
                event = Event(step=step, wall_time=time.time(), summary=summary)
                self._writers[seed].write_event(event)

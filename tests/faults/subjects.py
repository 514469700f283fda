"""What is killed: trainings of every kind, and commands that look at a run."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import jax
import matplotlib.backends.backend_agg  # noqa: F401  # with what commands import, before any fork

import depo.cli.evaluate
import depo.cli.imagine
import depo.cli.reachability
import depo.cli.resume
import depo.evaluation.vector_rollouts
import depo.methods.supervised.off_policy
import depo.methods.supervised.on_policy
import depo.plotting.figures
import depo.plotting.reachability  # noqa: F401
from depo.cli.main import main
from depo.core.runtime import prepare_jax
from depo.runs.checkpoints import CHECKPOINTS, STATE
from depo.runs.run import METRICS
from depo.runs.settings_file import SETTINGS
from depo.runs.training import begin
from tests.faults.child import Child, Ended
from tests.support.small_jobs import job

Result = dict[str, bytes]
TRAININGS = {
    "grid": "compiled",
    "finite Gymnasium": "host",
    "vectors": "third-party",
    "driving": "driving",
    "transfer": "transfer",
    "co-training": "co-training",
    "refits": "refits",
}
READINGS = {
    "evaluation": ("evaluate", "--episodes", "5", "--json"),
    "figures": ("imagine", "--no-video", "--steps", "10", "--starts", "2"),
    "report": ("reachability",),
}
"""Commands on a finished run of the grid world."""


@dataclass
class Subject:
    """Something that is done in a folder, in one sitting or several, always with one result."""

    name: str
    folder: Path
    sit: Callable[[Path], None]
    """One sitting, in a child: begins, or goes on."""
    result: Callable[[Path], Result]
    """What is there at the end."""
    seconds: float = 0.0
    writes: int = 0
    expected: Result | None = None

    def measure(self) -> Ended:
        """Do it undisturbed: what comes of it, how long it takes, how many files are written."""
        counted, began = self.folder / "writes", time.monotonic()
        whole = self.folder / "whole"
        ended = Child(lambda: self._counting(whole, counted), self.folder / "whole.txt").wait()
        self.seconds = time.monotonic() - began
        if ended.status == 0:
            self.writes, self.expected = int(counted.read_text()), self.result(whole)
        return ended

    def _counting(self, whole: Path, counted: Path) -> None:
        count, sync = [0], os.fsync

        def counting(descriptor: int) -> None:
            count[0] += 1
            sync(descriptor)

        os.fsync = counting
        try:
            self.sit(whole)
        finally:
            counted.write_text(str(count[0]))

    def child(self, run: Path, prepare: Callable[[], None] = lambda: None) -> Child:
        """A process with one sitting."""

        def call() -> None:
            prepare()
            self.sit(run)

        return Child(call, self.folder / f"{run.name}.txt")


def training(name: str, folder: Path) -> Subject:
    """A training."""
    kind = TRAININGS[name]

    def sit(run: Path) -> None:
        _keep_programs()
        if not (run / SETTINGS).exists():
            begin(job(kind, folder, "depo-supervised"), run)
        main(["resume", str(run)])

    return Subject(name, folder, sit, learned)


def reading(name: str, folder: Path, finished: Path) -> Subject:
    """A command that looks at a copy of a finished run, and writes below its own folder. Copies
    have the same name, which figures show."""
    command, *flags = READINGS[name]

    def sit(place: Path) -> None:
        _keep_programs()
        run = place / "run"
        if not run.exists():
            shutil.copytree(finished, place / "copy", dirs_exist_ok=True).rename(run)
        main([command, str(run), *flags])

    def result(place: Path) -> Result:
        run = place / "run"
        said = (folder / f"{place.name}.txt").read_bytes().replace(str(run).encode(), b"RUN")
        written = {str(p.relative_to(run)): p.read_bytes() for p in run.rglob("*.png")}
        return learned(run) | written | ({"said": said} if name == "evaluation" else {})

    return Subject(name, folder, sit, result)


def _keep_programs() -> None:
    """All programs, however small: most of a child's time would go into compiling them."""
    prepare_jax()
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def learned(run: Path) -> Result:
    """The scores, the newest checkpoint and all weights of a run."""
    newest = max((run / CHECKPOINTS).glob("[0-9]*"), key=lambda p: int(p.name))
    files = [run / METRICS, newest / STATE, *sorted(run.glob("p*/seed-*/*.safetensors"))]
    return {str(file.relative_to(run)): file.read_bytes() for file in files}


def difference(expected: Result | None, found: Result) -> str:
    """The first file that is not as it should be; empty: none."""
    assert expected
    names = sorted(expected.keys() | found.keys())
    return next((n for n in names if expected.get(n) != found.get(n)), "")


def leftovers(run: Path) -> list[str]:
    """Half-written files that nobody has cleared away."""
    return sorted(str(p.relative_to(run)) for p in run.rglob(".*.tmp"))

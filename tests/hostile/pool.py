"""Workers that are replaced when one is lost, and what came of every file they were given."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.hostile.kinds import KINDS, REAL_CHILD

ROOT = Path(__file__).parents[2]
PATIENCE = 300
"""Seconds on the clock after which a worker is lost; its own limit is processor time."""
GOOD = ("refused", "valid")


@dataclass(frozen=True)
class Attempt:
    """A damaged file, and how reading it ended."""

    kind: str
    seed: int
    outcome: str
    said: str = ""
    done: str = ""
    folder: str = ""
    peak: int = 0

    @property
    def is_good(self) -> bool:
        """Whether it was refused with a sentence, or valid."""
        return self.outcome in GOOD


class Worker:
    """A process that reads damaged files."""

    def __init__(self, real_child: bool = False) -> None:
        path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
        environment = os.environ | {"PYTHONPATH": path, "JAX_PLATFORMS": "cpu"}
        if real_child:
            environment[REAL_CHILD] = "1"
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.hostile.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
            cwd=ROOT,
        )

    def attempt(self, kind: str, seed: int) -> Attempt:
        """Give it one; a worker that is lost over it says nothing, and that is how it ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        watch = threading.Timer(PATIENCE, self._process.kill)
        watch.start()
        try:
            print(json.dumps([kind, seed]), file=self._process.stdin, flush=True)
            line = self._process.stdout.readline()
        except (BrokenPipeError, ValueError):  # it is gone, or was closed
            line = ""
        finally:
            watch.cancel()
        if not line:
            code = self._process.wait()
            return Attempt(kind, seed, "lost", f"the worker ended with {code}")
        said: dict[str, Any] = json.loads(line)
        return Attempt(kind, seed, **said)

    def is_lost(self) -> bool:
        """Whether it is of no more use."""
        return self._process.poll() is not None

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()


def as_users_do(found: Attempt) -> Attempt:
    """A foreign format that a worker was lost over, read again by a child of a new worker: that the
    parser takes all memory or never ends is to be a sentence."""
    if found.is_good or not KINDS[found.kind].in_child:
        return found
    worker = Worker(real_child=True)
    try:
        return worker.attempt(found.kind, found.seed)
    finally:
        worker.close()


def attempts(
    tasks: Iterable[tuple[str, int]], workers: int, keep: Callable[[Attempt], None] = lambda _: None
) -> Iterator[Attempt]:
    """What came of every task, in any order; ``keep`` sees each before its folder is gone."""
    waiting: queue.Queue[tuple[str, int]] = queue.Queue()
    for task in tasks:
        waiting.put(task)
    total, done = waiting.qsize(), queue.Queue[Attempt]()

    def serve() -> None:
        worker = Worker()
        try:
            while True:
                try:
                    kind, seed = waiting.get_nowait()
                except queue.Empty:
                    return
                found = as_users_do(worker.attempt(kind, seed))
                keep(found)
                done.put(found)
                if worker.is_lost():
                    worker = Worker()
        finally:
            worker.close()

    threads = [threading.Thread(target=serve, daemon=True) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for _ in range(total):
        yield done.get()
    for thread in threads:
        thread.join()

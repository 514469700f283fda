"""A process of depo that something may happen to: forked, so that all is imported already."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 3_600.0
"""Seconds on the clock: a busy machine may give a run of 20 s the time of others for half an hour.
"""


@dataclass(frozen=True)
class Ended:
    """How a process ended: its exit status (minus the signal that ended it), and what it said."""

    status: int
    said: str

    @property
    def in_a_sentence(self) -> bool:
        """Whether it was refused as a user expects it."""
        return self.status == 2 and "depo: " in self.said and not self.crashed

    @property
    def crashed(self) -> bool:
        """Whether somebody saw a traceback."""
        return "Traceback" in self.said

    @property
    def sentence(self) -> str:
        """The refusal."""
        return " ".join(f"\n{self.said}".partition("\ndepo: ")[2].split())


class Child:
    """A call in a process of its own; its parent has started no threads and computed nothing."""

    def __init__(self, call: Callable[[], object], output: Path):
        self._output, self._status = output, None
        sys.stdout.flush()
        self.pid = os.fork()
        if not self.pid:
            _be(call, output)

    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = os.waitstatus_to_exitcode(status) if pid else None
        return self._status is None

    def send(self, number: int) -> None:
        """Send a signal, if it still runs."""
        if self.is_running():
            os.kill(self.pid, number)

    def wait(self, seconds: float = PATIENCE) -> Ended:
        """How it ends, within some seconds; after that it is killed, has the status −9, and that
        is what it said."""
        deadline = time.monotonic() + seconds
        while self.is_running() and time.monotonic() < deadline:
            time.sleep(0.01)
        late = f"killed after {seconds:.0f} s" if self.is_running() else ""
        self.send(signal.SIGKILL)
        while self.is_running():
            time.sleep(0.01)
        assert self._status is not None
        return Ended(self._status, self._output.read_text(errors="replace") + late)


def _be(call: Callable[[], object], output: Path) -> None:
    """What the child does: never returns."""
    status = 1
    # whatever they were to the parent: nohup ignores SIGHUP, a shell's '&' SIGINT
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        nothing = os.open(os.devnull, os.O_RDONLY)
        written = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for here, there in ((0, nothing), (1, written), (2, written)):
            os.dup2(there, here)
        call()
        status = 0
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else int(left.code is not None)
    except KeyboardInterrupt:
        status = 130  # before depo could say anything
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)

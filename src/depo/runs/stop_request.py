"""A request to stop a run: by a callback, or by a signal, which is answered within 30 seconds.

The first signal (Ctrl-C, or what a terminal, a batch system or a shutdown sends) lets the run save
itself. A thread answers it at once, says what will happen, and ends the process when the time is
over. That loses nothing but the work since the last checkpoint: a run is whole at any instant.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

from depo.core.listening import Listener, tell

LONGEST = 25.0
"""Seconds from the first signal to the end, whatever the run is doing."""
AT_ONCE = 3.0
"""The same from the second signal: a Python program leaves by itself in less."""
PATIENCE = 15.0
"""Seconds that a checkpoint which is due anyway is waited for."""
SIGNALS = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM", signal.SIGHUP: "SIGHUP"}
SHOW_CURSOR = "\x1b[?25h"


class Interrupted(Exception):  # noqa: N818
    """A signal (its number): the run stopped, and is saved up to some steps."""

    def __init__(self, steps: int, number: int):
        super().__init__(steps, number)
        self.steps, self.number = steps, number


class StopRequest:
    """Why to stop: a callback's reason, or a signal. Without ``say`` there is nobody to tell, and
    signals do what they always do."""

    def __init__(self, say: Callable[[str], None] | None):
        self.reason = ""
        self.number = 0
        """The signal; 0: none."""
        self.due: Callable[[], float] = lambda: float("inf")
        """Seconds to the next checkpoint that comes anyway, as far as is known."""
        self._say = say
        self._waits_until = 0.0
        self._handled = 0
        self._listener: Listener | None = None

    @property
    def interrupted(self) -> bool:
        """Whether a signal asked."""
        return self.number != 0

    @property
    def is_urgent(self) -> bool:
        """Whether the next checkpoint is too far away to wait for."""
        return self.interrupted and time.monotonic() >= self._waits_until

    def ask(self, reason: str | None) -> None:
        """Stop for this reason, if it is one and the first."""
        self.reason = self.reason or reason or ""

    def __enter__(self) -> StopRequest:
        if self._say is not None:
            handlers = dict.fromkeys(SIGNALS, self._handle)
            self._listener = Listener(handlers, self._answer, self._end).__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        if self._listener is not None:
            self._listener.__exit__()

    def _handle(self, number: int, _: FrameType | None) -> None:
        """In the main thread, once it is between two steps of Python."""
        self._handled += 1
        if self._handled > 1:
            raise KeyboardInterrupt

    def _answer(self, number: int) -> float:
        """In a thread of its own, at once: how long the run has."""
        if number == signal.SIGHUP:
            _without_terminal()
        if self.interrupted:
            return AT_ONCE
        due = self.due()
        waits = due <= PATIENCE
        self._waits_until = time.monotonic() + PATIENCE if waits else 0.0
        self.number, self.reason = number, SIGNALS[signal.Signals(number)]
        when = f"in about {due:.0f} s, at the next checkpoint" if waits else "within 30 s"
        self.tell(f"stopping {when}; Ctrl-C again stops at once")
        return LONGEST

    def _end(self) -> NoReturn:
        """Leave in the middle of whatever is done."""
        cursor = SHOW_CURSOR if sys.stderr.isatty() else ""  # which a progress bar has hidden
        tell(lambda text: os.write(2, text.encode()), cursor)
        self.tell("stopped at once; the last checkpoint is whole, 'depo resume' goes on from it")
        os._exit(128 + self.number)

    def tell(self, text: str) -> None:
        """Say it, if anybody is there."""
        if self._say is not None:
            tell(self._say, text)


def _without_terminal() -> None:
    """Write to nobody: the terminal is gone, and an error about that would end the run."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        with contextlib.suppress(OSError):
            if os.isatty(descriptor):
                os.dup2(nowhere, descriptor)
    os.close(nowhere)

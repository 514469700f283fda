"""A request to stop a run: by a callback, or by a signal, which is answered within 30 seconds.

The first signal (Ctrl-C, or what a terminal, a batch system or a shutdown sends) lets the run save
itself. A thread answers it, since Python's own handlers wait for the end of a compiled call: it
says what will happen, and ends the process when the time is over. That loses nothing but the work
since the last checkpoint: a run is whole at any instant.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

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
        self._handlers: dict[int, Any] = {}
        self._thread: threading.Thread | None = None

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
        if self._say is None or threading.current_thread() is not threading.main_thread():
            return self
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self._wakeup = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup wants it
                self._handlers[number] = signal.signal(number, self._handle)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread is None:
            return
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        self._writer.close()
        self._thread.join()
        self._reader.close()

    def _handle(self, number: int, _: FrameType | None) -> None:
        """In the main thread, once it is between two steps of Python."""
        self._handled += 1
        if self._handled > 1:
            raise KeyboardInterrupt

    def _listen(self) -> None:
        """In a thread of its own, at once."""
        deadline = None
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([self._reader], [], [], left)[0]:
                self._end()
            received = self._reader.recv(64)
            if not received:
                return
            for number in filter(self._handlers.__contains__, received):
                deadline = time.monotonic() + (AT_ONCE if self.interrupted else LONGEST)
                self._answer(number)

    def _answer(self, number: int) -> None:
        if number == signal.SIGHUP:
            _without_terminal()
        if self.interrupted:
            return
        due = self.due()
        waits = due <= PATIENCE
        self._waits_until = time.monotonic() + PATIENCE if waits else 0.0
        self.number, self.reason = number, SIGNALS[signal.Signals(number)]
        when = f"in about {due:.0f} s, at the next checkpoint" if waits else "within 30 s"
        self.tell(f"stopping {when}; Ctrl-C again stops at once")

    def _end(self) -> None:
        """Leave in the middle of whatever is done."""
        if sys.stderr.isatty():
            sys.stderr.write(SHOW_CURSOR)  # which a progress bar has hidden
        self.tell("stopped at once; the last checkpoint is whole, 'depo resume' goes on from it")
        os._exit(128 + self.number)

    def tell(self, text: str) -> None:
        """Say it, if anybody is there."""
        if self._say is not None:
            with contextlib.suppress(OSError):
                self._say(text)


def _without_terminal() -> None:
    """Write to nobody: the terminal is gone, and an error about that would end the run."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        with contextlib.suppress(OSError):
            if os.isatty(descriptor):
                os.dup2(nowhere, descriptor)
    os.close(nowhere)

"""Signals that are heard at once: Python's own handlers wait for the end of a compiled call.

A thread is told of a signal by the C part of its handler, and may end the process when the time is
over. What it says is said by yet another: a halted terminal (Ctrl-S), or a pipe that nobody reads,
would hold it up for ever.
"""

from __future__ import annotations

import contextlib
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

Handler = Callable[[int, FrameType | None], Any]
SPEAKING = 1.0
"""Seconds that a line may take to be written."""


class Listener:
    """For a block in the main thread: ``heard(number)`` is called when a signal comes, in a thread
    of its own, and returns the seconds after which ``late()`` is called if the block has not been
    left; which does not return, or gives more time."""

    def __init__(
        self,
        handlers: Mapping[signal.Signals, Handler],
        heard: Callable[[int], float],
        late: Callable[[], float],
    ):
        self._handlers, self._heard, self._late = handlers, heard, late
        self._before: dict[int, Any] = {}
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Listener:
        if threading.current_thread() is not threading.main_thread():
            return self  # only there can handlers be changed
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self._wakeup = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        for number, handler in self._handlers.items():
            if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup wants it
                self._before[number] = signal.signal(number, handler)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread is None:
            return
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        self._writer.close()
        self._thread.join()
        self._reader.close()

    def _listen(self) -> None:
        deadline = None
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([self._reader], [], [], left)[0]:
                deadline = time.monotonic() + self._late()
                continue
            received = self._reader.recv(64)
            if not received:
                return
            for number in filter(self._before.__contains__, received):
                deadline = time.monotonic() + self._heard(number)


def tell(say: Callable[[str], object], text: str) -> None:
    """Say it, if anybody is there, and wait for no one who is not."""

    def speak() -> None:
        with contextlib.suppress(OSError, ValueError):  # the file is closed
            say(text)

    speaker = threading.Thread(target=speak, daemon=True)
    speaker.start()
    speaker.join(SPEAKING)

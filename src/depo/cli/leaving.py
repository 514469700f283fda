"""Ctrl-C in any command: it is left within seconds, also in a call that does not return.

Python raises KeyboardInterrupt when a compiled call is over, and loses it where nobody can catch it
(in a callback of the garbage collector, for one). All files are whole at any instant, so nothing is
lost by leaving anywhere. A training has more time, to save itself (``runs/stop_request.py``).
"""

from __future__ import annotations

import os
import signal

from depo.core.listening import Listener, tell

SILENT, LONGEST, AT_ONCE = 1.0, 10.0, 3.0
"""Seconds from the first signal until something is said of it, and until the end; the latter from
the second signal."""


class LeavingInTime:
    """For a block: the first Ctrl-C is KeyboardInterrupt as ever, and the end is not far."""

    def __init__(self) -> None:
        self._signals = 0
        self._has_spoken = False
        handlers = {signal.SIGINT: signal.default_int_handler}
        self._listener = Listener(handlers, self._heard, self._late)

    def __enter__(self) -> LeavingInTime:
        self._listener.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.__exit__()

    def _heard(self, _: int) -> float:
        self._signals += 1
        self._has_spoken = self._signals > 1
        return AT_ONCE if self._has_spoken else SILENT

    def _late(self) -> float:
        if not self._has_spoken:
            self._has_spoken = True
            _say(f"stopping within {LONGEST:.0f} s; Ctrl-C again stops at once")
            return LONGEST - SILENT
        _say("stopped at once; every file that was written is whole")
        os._exit(128 + signal.SIGINT)


def _say(text: str) -> None:
    tell(lambda line: os.write(2, line.encode()), f"depo: {text}\n")

"""Signals are heard whatever the main thread does, and nobody who is not there is waited for."""

from __future__ import annotations

import os
import signal
import threading
import time

from depo.core.listening import Listener, tell


def test_a_signal_is_heard_at_once_and_time_can_be_given_twice() -> None:
    heard: list[object] = []
    is_late, times = threading.Event(), iter((0.05, 60.0))

    def late() -> float:
        heard.append("late")
        given = next(times)
        if given == 60.0:
            is_late.set()
        return given

    def hear(number: int) -> float:
        heard.append(number)
        return 0.05

    before = signal.getsignal(signal.SIGTERM)
    with Listener({signal.SIGTERM: lambda *_: None}, hear, late):
        os.kill(os.getpid(), signal.SIGTERM)
        assert is_late.wait(10)
        assert heard == [signal.SIGTERM, "late", "late"]
    assert signal.getsignal(signal.SIGTERM) is before


def test_one_within_another_hears_alone() -> None:
    outer: list[int] = []
    inner: list[int] = []

    def into(found: list[int]) -> Listener:
        return Listener(
            {signal.SIGTERM: lambda *_: None}, lambda n: found.append(n) or 60.0, lambda: 60.0
        )

    with into(outer):
        with into(inner):
            os.kill(os.getpid(), signal.SIGTERM)
            _wait_for(inner)
        os.kill(os.getpid(), signal.SIGTERM)
        _wait_for(outer)
    assert (outer, inner) == ([signal.SIGTERM], [signal.SIGTERM])


def _wait_for(found: list[int]) -> None:
    deadline = time.monotonic() + 10
    while not found and time.monotonic() < deadline:
        time.sleep(0.01)


def test_another_thread_hears_nothing_and_changes_nothing() -> None:
    def enter() -> None:
        with Listener({signal.SIGTERM: lambda *_: None}, lambda _: 1.0, lambda: 1.0):
            found.append(signal.getsignal(signal.SIGTERM))

    found: list[object] = []
    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGTERM)]


def test_a_line_that_nobody_takes_holds_nobody_up() -> None:
    began, never = time.monotonic(), threading.Event()
    tell(lambda _: never.wait(60), "into a pipe that is full")
    assert time.monotonic() - began < 30
    never.set()


def test_a_line_to_a_closed_file_is_no_error(tmp_path) -> None:
    with (tmp_path / "closed").open("w") as file:
        pass
    tell(file.write, "gone")

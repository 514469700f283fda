"""Signals to a process that is in the middle of something, also of a call that does not return."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from depo.runs.stop_request import StopRequest

PROLOGUE = """
import os, signal, sys, time
import depo.runs.stop_request as module
def say(text): os.write(1, f"{text}\\n".encode())  # whole lines, whichever thread speaks
module.LONGEST, module.AT_ONCE = 1.0, 0.5
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # 'nohup make test' has it ignored
"""
WORK = """
with module.StopRequest(say) as stop:
    stop.due = lambda: float(sys.argv[1])
    say("ready")
    while not stop.is_urgent: time.sleep(0.01)
    time.sleep(0.2)  # the answer comes first
    say(f"leaves for {stop.reason}")
sys.exit(7)
"""
DEAF = """
import hashlib
with module.StopRequest(say):
    say("ready")
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)  # hours of C
"""


MUTE = """
import hashlib, threading
with module.StopRequest(lambda text: threading.Event().wait()):  # a terminal that was halted
    say("ready")
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)
"""


def begin(script: str, *arguments: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", PROLOGUE + script, *arguments], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def said(process: subprocess.Popen[str]) -> str:
    return process.communicate(timeout=60)[0]


@pytest.mark.parametrize(
    ("number", "name"),
    [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM"), (signal.SIGHUP, "SIGHUP")],
)
def test_a_signal_lets_the_run_leave_by_itself(number: signal.Signals, name: str) -> None:
    process = begin(WORK, "60")
    process.send_signal(number)
    assert said(process) == (
        f"stopping within 30 s; Ctrl-C again stops at once\nleaves for {name}\n"
    )
    assert process.returncode == 7


def test_a_checkpoint_that_is_near_is_waited_for_and_the_second_ctrl_c_is_not() -> None:
    process = begin(WORK, "4")
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None
    assert "in about 4 s, at the next checkpoint" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert "leaves" not in said(process)
    assert process.returncode in (130, -signal.SIGINT)


def test_a_call_that_does_not_return_is_left_when_the_time_is_over() -> None:
    process = begin(DEAF)
    process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    assert "the last checkpoint is whole" in said(process)
    assert time.monotonic() - began < 20
    assert process.returncode == 128 + signal.SIGTERM


def test_a_terminal_that_takes_no_line_does_not_hold_it_up() -> None:
    process = begin(MUTE)
    process.send_signal(signal.SIGINT)
    assert said(process) == ""
    assert process.returncode == 128 + signal.SIGINT


def test_what_was_told_to_be_ignored_is() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with StopRequest(print) as stop:
            signal.raise_signal(signal.SIGHUP)
            time.sleep(0.1)
            assert not stop.interrupted
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_handlers_are_as_before_afterwards() -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with StopRequest(print):
        assert signal.getsignal(signal.SIGTERM) != before[signal.SIGTERM]
    assert {number: signal.getsignal(number) for number in before} == before

"""Ctrl-C in a command, where KeyboardInterrupt comes, comes late, or is lost."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

PROLOGUE = """
import gc, hashlib, os, signal, sys, threading, time
import depo.cli.leaving as module
module.SILENT, module.LONGEST, module.AT_ONCE = 0.3, 1.0, 0.3
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's '&' has ignored
def ready(): os.write(1, b"ready\\n")
"""
CAUGHT = """
try:
    with module.LeavingInTime():
        ready()
        time.sleep(60)
except KeyboardInterrupt:
    sys.exit(7)
"""
DEAF = """
with module.LeavingInTime():
    threading.Timer(0.3, ready).start()  # when the next line is at work
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)  # hours of C
"""
LOST = """
def swallow(*_):
    if working:
        working.clear()
        ready()
        time.sleep(60)  # KeyboardInterrupt here is printed and forgotten
working = []
gc.callbacks.append(swallow)
with module.LeavingInTime():
    working.append(1)
    gc.collect()
    time.sleep(60)
"""


def ctrl_c(script: str, *, is_held: bool = False) -> tuple[int, str]:
    """How a process ends, and what it says."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROLOGUE + script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    while is_held and process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
    said = process.communicate(timeout=60)[1]
    return process.returncode, said


def test_a_command_that_can_leaves_by_itself_and_nothing_is_said() -> None:
    assert ctrl_c(CAUGHT) == (7, "")


def test_a_call_that_does_not_return_is_left() -> None:
    assert ctrl_c(DEAF) == (
        130,
        "depo: stopping within 1 s; Ctrl-C again stops at once\n"
        "depo: stopped at once; every file that was written is whole\n",
    )


def test_an_interrupt_that_was_lost_is_not_forgotten() -> None:
    status, said = ctrl_c(LOST)
    assert status == 130, said
    assert "stopped at once" in said


def test_the_second_one_is_answered_at_once() -> None:
    status, said = ctrl_c(f"module.SILENT = module.LONGEST = 60.0\n{DEAF}", is_held=True)
    assert (status, said) == (130, "depo: stopped at once; every file that was written is whole\n")

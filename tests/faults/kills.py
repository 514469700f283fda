"""The kill campaign: signals at random instants, then on to the end, which must be the same."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from depo.runs.run import TIMING
from tests.faults.child import PATIENCE, Child, Ended
from tests.faults.subjects import Subject, difference

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
IN_A_ROW = (3, 8)
LONGEST = 30.0
"""Seconds from a signal to the end of the process."""


@dataclass(frozen=True)
class Kill:
    """One signal that reached a process at work, and what came of it in the end."""

    subject: str
    signal: signal.Signals
    instant: str
    seconds: float
    fault: str = ""
    """What was wrong; empty: all ended as if nothing had happened."""
    chain: int = 0
    """Which piece of work of the campaign was killed."""


def campaign(
    subjects: Sequence[Subject], kills: int, seed: int, done: Sequence[Kill] = ()
) -> Iterator[Kill]:
    """Chains of kills, subject after subject, until so many have landed; those that were done
    before count. A chain depends on the seed and its number alone."""
    landed, chain = len(done), 1 + max((kill.chain for kill in done), default=-1)
    while landed < kills:
        subject, generator = subjects[chain % len(subjects)], random.Random(f"{seed} {chain}")
        for kill in _chain(subject, generator, min(kills - landed, generator.randint(*IN_A_ROW))):
            landed += 1
            yield replace(kill, chain=chain)
        chain += 1


def _chain(subject: Subject, generator: random.Random, count: int) -> list[Kill]:
    """So many kills of one piece of work, or fewer if it is done before; then its end."""
    run, landed = subject.folder / "killed", []
    for _ in range(count):
        number, chance = generator.choice(SIGNALS), random.Random(generator.random())
        kill = _kill(subject, run, number, chance)
        if kill is None:
            break
        landed.append(kill)
    ended = subject.child(run).wait()
    fault = _fault_at_the_end(subject, run, ended)
    shutil.rmtree(run, ignore_errors=True)
    return [replace(k, fault=k.fault or fault) for k in landed] or _chain(subject, generator, count)


def _kill(
    subject: Subject, run: Path, number: signal.Signals, chance: random.Random
) -> Kill | None:
    """One sitting with a signal in it; None: it had ended before."""
    instant = chance.choice(["write", "evaluation", "time"])
    if instant == "write":
        count, told = chance.randint(1, 1 + subject.writes // 3), run.with_name("signalled")
        child = subject.child(run, lambda: _signal_at_write(count, number, told))
        began = _wait_for(child, told)
    else:
        child = subject.child(run)
        if instant == "evaluation":
            wait_for_rows(child, run, chance.randint(1, 4))
        time.sleep(chance.random() * (0.3 if instant == "evaluation" else subject.seconds / 2))
        began = time.monotonic() if child.is_running() else 0.0
        child.send(number)
    ended = child.wait(LONGEST + 5 if began else PATIENCE)
    run.with_name("signalled").unlink(missing_ok=True)  # the file that told of it
    if not began:
        return None
    seconds = time.monotonic() - began
    return Kill(subject.name, number, instant, seconds, _fault_of_leaving(ended, number, seconds))


def _signal_at_write(count: int, number: int, told: Path) -> None:
    """In a child: send yourself a signal when a file is written and has not its name yet."""
    left, sync = [count], os.fsync

    def signalling(descriptor: int) -> None:
        sync(descriptor)
        left[0] -= 1
        if left[0] == 0:
            told.touch()
            os.kill(os.getpid(), number)

    os.fsync = signalling


def _wait_for(child: Child, told: Path) -> float:
    """When a child said that it was signalled; 0: it ended without."""
    while child.is_running():
        if told.exists():
            return time.monotonic()
        time.sleep(0.005)
    return time.monotonic() if told.exists() else 0.0


def wait_for_rows(child: Child, run: Path, rows: int) -> None:
    timing = run / TIMING
    before = timing.read_bytes().count(b"\n") if timing.exists() else 0
    while child.is_running():
        if timing.exists() and timing.read_bytes().count(b"\n") >= before + rows:
            return
        time.sleep(0.005)


def _fault_of_leaving(ended: Ended, number: int, seconds: float) -> str:
    if ended.crashed:
        return f"traceback: {ended.said[-300:]}"
    if seconds > LONGEST:
        return f"took {seconds:.0f} s to stop"
    if ended.status not in (0, -number, 128 + number):
        return f"exit status {ended.status}: {ended.said[-200:]}"
    return ""


def _fault_at_the_end(subject: Subject, run: Path, ended: Ended) -> str:
    if ended.status or ended.crashed:
        return f"did not go on: {ended.status} {ended.said[-300:]}"
    wrong = difference(subject.expected, subject.result(run))
    return f"{wrong} is not the same" if wrong else ""

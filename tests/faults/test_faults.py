"""A small sample of the campaign, with its machinery; the whole is ``make faults``."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.faults.__main__ import add, recorded, table
from tests.faults.child import Child, Ended
from tests.faults.kills import Kill, campaign
from tests.faults.subjects import difference


def test_a_few_seeded_kills_end_as_if_nothing_had_happened() -> None:
    """In a process of its own, which must not have computed anything when it forks."""
    command = [sys.executable, "-m", "tests.faults", "--kills", "2", "--only", "grid"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "2 kills and 0 other faults, seed 0: 0 ended badly" in ended.stdout


def test_a_difference_and_a_fault_are_told() -> None:
    assert difference({"a": b"1", "b": b"2"}, {"a": b"1", "b": b"3"}) == "b"
    assert difference({"a": b"1"}, {"a": b"1", "more": b""}) == "more"
    assert not difference({"a": b"1"}, {"a": b"1"})
    kill = Kill("grid", signal.SIGTERM, "write", 1.25, "metrics.csv is not the same")
    assert table([kill]).splitlines()[1].split() == ["grid", "0", "1", "0", "0", "1.2", "s", "1"]


def test_only_one_sentence_is_a_refusal() -> None:
    refusal = Ended(2, "begins\ndepo: cannot write it:\nno space, update depo: soon\n")
    assert refusal.in_a_sentence
    assert refusal.sentence == "cannot write it: no space, update depo: soon"
    assert not Ended(0, "depo: cannot write it: no space").in_a_sentence
    assert not Ended(2, "Traceback (most recent call last):\ndepo: oh").in_a_sentence


def test_a_child_hears_what_its_parent_ignores(tmp_path: Path) -> None:
    """A campaign in the background of a shell ignores Ctrl-C, and would kill nothing by it."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        child = Child(lambda: (os.write(1, b"here\n"), time.sleep(60)), tmp_path / "said.txt")
        while not (tmp_path / "said.txt").exists() or not (tmp_path / "said.txt").read_text():
            time.sleep(0.01)
        child.send(signal.SIGINT)
        assert child.wait(30).status == 130
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_record_is_gone_on_from(tmp_path: Path) -> None:
    kills = [Kill("grid", signal.SIGHUP, "time", 0.5, chain=c) for c in (0, 0, 1)]
    for kill in kills:
        add(kill, tmp_path / "record.jsonl")
    assert recorded(tmp_path / "record.jsonl") == kills
    assert recorded(None) == recorded(tmp_path / "none.jsonl") == []
    assert list(campaign([], 3, 0, kills)) == []  # all three have landed


def test_a_child_is_waited_for_and_one_that_hangs_is_killed(tmp_path: Path) -> None:
    said = Child(lambda: os.write(1, b"here\n"), tmp_path / "said.txt").wait()
    assert (said.status, said.said) == (0, "here\n")
    hangs = Child(lambda: os.read(os.pipe()[0], 1), tmp_path / "hangs.txt")
    assert hangs.wait(0.1).status == -signal.SIGKILL

"""Faults of the surroundings: disk, permissions, place, clock, another version's files."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from depo.cli.main import main
from depo.runs.checkpoints import CHECKPOINTS, PROGRESS, STATE
from depo.runs.settings_file import SETTINGS
from tests.faults.child import Child, Ended
from tests.faults.kills import wait_for_rows
from tests.faults.subjects import Subject, difference

YEARS = 10 * 365 * 86_400


@dataclass(frozen=True)
class Outcome:
    """What came of a fault."""

    told: str
    is_fault: bool = False


def stopped(subject: Subject, folder: Path) -> Path:
    """A run that was killed half-way, with checkpoints behind it."""
    run = folder / "run"
    child = subject.child(run)
    wait_for_rows(child, run, 4)
    child.send(signal.SIGKILL)
    child.wait()
    return run


def identical(subject: Subject, run: Path, told: str = "") -> Outcome:
    """Go on to the end; is it the one of an undisturbed run?"""
    ended = subject.child(run).wait()
    if ended.status or ended.crashed:
        return Outcome(f"{told}did not go on: {ended.status} {ended.said[-300:]}", is_fault=True)
    wrong = difference(subject.expected, subject.result(run))
    return Outcome(f"{told}{wrong + ' is not the same' if wrong else 'identical'}", bool(wrong))


def refused(ended: Ended) -> Outcome:
    """Was it one sentence?"""
    if ended.in_a_sentence:
        return Outcome(f"refused: {ended.sentence[:160]}")
    return Outcome(f"exit status {ended.status}: {ended.said[-400:]}", is_fault=True)


def full_disk(subject: Subject, folder: Path) -> Iterator[Outcome]:
    """The disk is full at several places of a run, then there is room again."""
    run = stopped(subject, folder)
    for kilobytes in (0, 12, 60):
        with _mounted(folder / "disk", "tmpfs", "-o", "size=64m") as disk:
            if disk is None:
                yield Outcome("no disk of a given size: mounting needs root")
                return
            here = shutil.copytree(run, disk / "run")
            used = sum(f.stat().st_blocks * 512 for f in disk.rglob("*"))
            _mount("-o", f"remount,size={used + kilobytes * 1024}", str(disk))
            yield refused(subject.child(here).wait())
            _mount("-o", "remount,size=64m", str(disk))
            yield identical(subject, here, "with room again ")


def files_too_large(subject: Subject, folder: Path) -> Iterator[Outcome]:
    """No file may be larger than so much: what a quota does."""
    run = stopped(subject, folder)

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    yield refused(subject.child(run, small).wait())
    yield identical(subject, run, "without the limit ")


def read_only(subject: Subject, folder: Path) -> Iterator[Outcome]:
    """A folder that may be read and not written."""
    run = stopped(subject, folder)
    shutil.copytree(subject.folder / "whole", folder / "finished")
    with _mounted(folder / "here", "none", "--bind", source=folder) as here:
        if here is None:
            yield Outcome("no read-only folder: mounting needs root")
            return
        _mount("-o", "remount,bind,ro", str(here))
        yield refused(subject.child(here / "run").wait())
        looked = Child(
            lambda: main(["evaluate", str(here / "finished")]), subject.folder / "looked.txt"
        ).wait()
        yield Outcome(f"a finished run is evaluated: {looked.status}", looked.status != 0)
    yield identical(subject, run, "writable again ")


def moved(subject: Subject, folder: Path) -> Iterator[Outcome]:
    """The folder is elsewhere on the next day, or all of a sudden."""
    run = stopped(subject, folder)
    (folder / "elsewhere").mkdir()
    there = run.rename(folder / "elsewhere" / "other name")
    child = subject.child(there)
    wait_for_rows(child, there, 1)
    again = there.rename(folder / "moved at work")
    ended = child.wait()
    if ended.status:
        yield refused(ended)
    left = sorted(p.name for p in there.rglob("*")) if there.exists() else []
    yield Outcome(f"left behind: {left or 'nothing'}", bool(left))
    yield identical(subject, again, "moved twice, once at work: ")


def clock_set_back(subject: Subject, folder: Path) -> Iterator[Outcome]:
    """It is ten years earlier than when the run began, and its files are of the future."""
    run = stopped(subject, folder)
    for file in run.rglob("*"):
        os.utime(file, (time.time() + YEARS,) * 2)
    real = time.time

    def earlier() -> None:
        time.time = lambda: real() - YEARS
        time.time_ns = lambda: int((real() - YEARS) * 1e9)

    child = subject.child(run, earlier)
    wait_for_rows(child, run, 2)
    child.send(signal.SIGTERM)
    child.wait()
    yield identical(subject, run)


def other_version(subject: Subject, folder: Path) -> Iterator[Outcome]:
    """Files of a newer version, of other settings, or made with other libraries."""
    run = stopped(subject, folder)
    newest = max((run / CHECKPOINTS).glob("[0-9]*"), key=lambda p: int(p.name))
    damages: dict[str, tuple[Path, Callable[[bytes], bytes]]] = {
        "newer checkpoint": (newest / PROGRESS, lambda text: _with(text, format=99)),
        "newer run": (run / SETTINGS, lambda text: _with(text, format=99)),
        "cut state": (newest / STATE, lambda data: data[:-100]),
        "renamed arrays": (newest / STATE, lambda data: data.replace(b"weights", b"wheights", 1)),
    }
    for name, (file, damage) in damages.items():
        whole = file.read_bytes()
        file.write_bytes(damage(whole))
        outcome = refused(subject.child(run).wait())
        yield Outcome(f"{name}: {outcome.told}", outcome.is_fault)
        file.write_bytes(whole)
    yield identical(subject, run, "put back ")


def _with(text: bytes, **changes: object) -> bytes:
    return json.dumps(json.loads(text) | changes).encode()


@contextmanager
def _mounted(
    place: Path, kind: str, *options: str, source: Path | None = None
) -> Iterator[Path | None]:
    """Something mounted for a while; None where that is not allowed."""
    place.mkdir(exist_ok=True)
    what = [str(source)] if source else ["-t", kind, "none"]
    if not _mount(*options, *what, str(place)):
        yield None
        return
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def _mount(*arguments: str) -> bool:
    if shutil.which("mount") is None or os.geteuid():
        return False
    return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0


CIRCUMSTANCES: dict[str, Callable[[Subject, Path], Iterator[Outcome]]] = {
    "full disk": full_disk,
    "files too large": files_too_large,
    "read-only folder": read_only,
    "moved folder": moved,
    "clock set back": clock_set_back,
    "other version": other_version,
}

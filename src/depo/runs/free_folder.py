"""The folder that a run begins in: the one asked for, if it is free, or the next free one."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from pathlib import Path

from depo.core.errors import DepoError
from depo.core.files import as_path
from depo.runs.job import Job
from depo.runs.settings_file import SETTINGS

RUNS = Path("runs")
"""Where runs without a name are."""


@contextlib.contextmanager
def chosen_folder(job: Job, out: str | Path = "") -> Iterator[Path]:
    """The folder asked for, or the next free ``runs/METHOD-ENVIRONMENT-NUMBER``: made at once, so
    that no other process chooses it, and removed if nothing came into it."""
    if str(out):
        yield as_path(out, "out")
        return
    is_first = not RUNS.exists()
    path = next(folder for folder in _numbered(job) if _is_made(folder))
    try:
        yield path
    finally:
        with contextlib.suppress(OSError):
            path.rmdir()  # which only an empty folder allows
            if is_first:
                RUNS.rmdir()


def next_folder(job: Job) -> Path:
    """The folder that a run without a name would have."""
    return next(folder for folder in _numbered(job) if not folder.exists())


def _numbered(job: Job) -> Iterator[Path]:
    for number in itertools.count(1):
        yield RUNS / f"{job.method}-{job.environment.label}-{number}"


def _is_made(folder: Path) -> bool:
    """Whether the folder is new; of several processes that ask, one is told so."""
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        return False
    except OSError as error:
        raise DepoError(f"cannot write {folder}: {error.strerror}") from None
    return True


def refuse_taken(path: Path) -> None:
    """Refuse to begin a run where something is; an empty folder may be reserved for it."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        resumable = (path / SETTINGS).exists()
        hint = f"'depo resume {path}' goes on with it, or " if resumable else ""
        raise DepoError(f"{path} exists: {hint}choose another --out")

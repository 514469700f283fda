"""A process that damages files and reads them, within limits; it may be lost, others go on.

Each line it reads names a kind and a seed; each line it writes says how that ended.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from depo.core.errors import DepoError
from tests.hostile.kinds import KINDS, Kind
from tests.hostile.mutate import mutate_file

MEMORY, SECONDS = 4 << 30, 10
LONGEST_SENTENCE = 2_000


class Bench:
    """Examples of every kind, made once, and a folder to damage copies in."""

    def __init__(self, folder: Path):
        self._folder = folder

    @cache  # noqa: B019 (as long as the process)
    def example(self, name: str) -> Path:
        """A folder with an undamaged example, which is read without complaint."""
        folder = self._folder / "examples" / name
        folder.mkdir(parents=True)
        KINDS[name].make(folder)
        KINDS[name].read(folder)
        return folder

    def damaged(self, kind: Kind, seed: int) -> tuple[Path, str]:
        """A copy with damage that the seed determines; what was done."""
        copy = self._folder / "damaged"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.example(kind.name), copy)
        rng = random.Random(f"{kind.name} {seed}")
        files = kind.files(copy)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return copy, mutate_file(rng.choice(files), files, rng)

    def attempt(self, name: str, seed: int) -> dict[str, Any]:
        """Read a damaged example: how it ended, and what was said."""
        kind = KINDS[name]
        copy, done = self.damaged(kind, seed)
        with _limited(), _silence(self._folder / "noise") as noise:
            outcome, said = _outcome(kind, copy)
        printed = noise.read_text(errors="replace")
        if outcome in ("refused", "valid") and printed and not kind.in_child:
            outcome, said = "noise", printed
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return {"outcome": outcome, "said": said, "done": done, "folder": str(copy), "peak": peak}


def _outcome(kind: Kind, copy: Path) -> tuple[str, str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            kind.read(copy)
            outcome, said = "valid", ""
        except DepoError as error:
            outcome, said = "refused", str(error)
            if "\n" in said or not 0 < len(said) < LONGEST_SENTENCE:
                outcome = "no sentence"
        except AssertionError:
            outcome, said = "invalid", traceback.format_exc()
        except BaseException as error:
            outcome, said = type(error).__name__, traceback.format_exc()
    if caught and outcome in ("refused", "valid") and not kind.in_child:
        outcome, said = "warning", str(caught[0].message)
    return outcome, said


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """What takes longer is the end of this process, wherever it is."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


@contextlib.contextmanager
def _silence(file: Path) -> Iterator[Path]:
    """What libraries print goes to a file."""
    kept = [os.dup(1), os.dup(2)]
    noise = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        os.dup2(noise, 1)
        os.dup2(noise, 2)
        yield file
    finally:
        for own, old in zip((1, 2), kept, strict=True):
            os.dup2(old, own)
            os.close(old)
        os.close(noise)


def bound_memory() -> None:
    """No more than the limit, beside what the libraries have mapped."""
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + MEMORY, mapped + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Serve until there is nothing more to read."""
    answers = os.fdopen(os.dup(1), "w")
    with tempfile.TemporaryDirectory(prefix="depo-hostile-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bench = Bench(Path(folder))
        import jax

        jax.devices()  # maps what it needs before there is a limit
        bound_memory()
        for line in sys.stdin:
            name, seed = json.loads(line)
            print(json.dumps(bench.attempt(name, seed)), file=answers, flush=True)


if __name__ == "__main__":
    main()

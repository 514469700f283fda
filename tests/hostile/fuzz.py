"""``make fuzz``: thousands of damaged files, each refused with a sentence or valid.

    python -m tests.hostile.fuzz [--count 20000] [--seed 0] [--kinds run,planner]

Files that ended otherwise are kept below ``fuzz-failures``, with what was done to them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from tests.hostile.kinds import KINDS
from tests.hostile.pool import GOOD, Attempt, attempts

FAILURES = Path("fuzz-failures")


def main() -> int:
    """Run, and print a table; 1 where anything ended otherwise."""
    flags = _flags()
    names = flags.kinds.split(",") if flags.kinds else list(KINDS)
    tasks = [(names[i % len(names)], flags.seed + i // len(names)) for i in range(flags.count)]
    console, began = Console(), time.monotonic()
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    peak = 0
    bar = Progress(
        TextColumn("damaged files"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[bad]} failed"),
        console=Console(stderr=True),
    )
    with bar:
        task = bar.add_task("", total=len(tasks), bad=0)
        for found in attempts(tasks, flags.workers, _keep):
            counts[found.kind][found.outcome] += 1
            peak = max(peak, found.peak)
            failed = sum(n for own in counts.values() for o, n in own.items() if o not in GOOD)
            bar.update(task, advance=1, bad=failed)
            if not found.is_good:
                said = found.said.strip().splitlines() or [""]
                bar.console.print(
                    f"{found.kind} {found.seed}: {found.outcome} ({found.done}): {said[-1][:300]}",
                    markup=False,
                )
    failed = _print(console, counts)
    minutes = (time.monotonic() - began) / 60
    console.print(
        f"{len(tasks) - failed:,} of {len(tasks):,} refused or valid, in {minutes:.1f} minutes; "
        f"a worker held at most {peak / 2**20:.2f} GiB"
    )
    if flags.guided and find_spec("atheris"):
        failed += sum(_guided(console, name, flags.guided) for name in names)
    return min(1, failed)


def _guided(console: Console, kind: str, runs: int) -> int:
    """Damage that follows coverage, for one kind; 1 where something was refused in other ways."""
    command = [sys.executable, "-m", "tests.hostile.guided", kind, f"-runs={runs}"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    console.print(f"{kind}, guided: {'failed' if done.returncode else f'{runs:,} fine'}")
    if done.returncode:
        console.print("\n".join(done.stderr.splitlines()[-30:]), markup=False)
    return min(1, abs(done.returncode))


def _flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=20_000, help="files in all")
    parser.add_argument("--seed", type=int, default=0, help="the first seed of every kind")
    parser.add_argument("--kinds", default="", help=f"some of: {', '.join(KINDS)}")
    parser.add_argument(
        "--guided", type=int, default=2_000, help="more of every kind with atheris, if installed"
    )
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    return parser.parse_args()


def _keep(found: Attempt) -> None:
    if found.is_good:
        return
    target = FAILURES / f"{found.kind.replace(' ', '-')}-{found.seed}"
    shutil.rmtree(target, ignore_errors=True)
    if found.folder:
        shutil.copytree(found.folder, target / "files")
    target.mkdir(parents=True, exist_ok=True)
    (target / "why.txt").write_text(f"{found.outcome}\n{found.done}\n{found.said}\n")


def _print(console: Console, counts: dict[str, Counter[str]]) -> int:
    table = Table("kind", "files", "refused", "valid", "else", title="damaged files")
    failed = 0
    for kind, own in counts.items():
        other = {name: n for name, n in own.items() if name not in GOOD}
        failed += sum(other.values())
        said = ", ".join(f"{name} {n}" for name, n in other.items()) or "0"
        table.add_row(kind, f"{own.total():,}", f"{own['refused']:,}", f"{own['valid']:,}", said)
    console.print(table)
    return failed


if __name__ == "__main__":
    raise SystemExit(main())

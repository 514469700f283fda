"""Record golden trajectories with the code as it is: ``python -m tests.golden.record``.

Runs every case that this machine's file in ``references`` lacks and adds it, case by case, so that
an interrupted recording goes on where it was. What is recorded is not written over, for that is
what changes are found by; where numbers are *meant* to change:

    python -m tests.golden.record --force                     all cases anew
    python -m tests.golden.record --force edge-depo edge-sac  these
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import jax

from depo.core.runtime import prepare_jax
from tests.golden import reference
from tests.golden.cases import BY_NAME, run_case
from tests.golden.trajectory import trajectory_of


def main() -> None:
    """Record what was asked for, unless it is there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[[], *BY_NAME], metavar="CASE")
    parser.add_argument("--force", action="store_true", help="write over what is recorded")
    given = parser.parse_args()
    known = reference.read(reference.machine_key())
    wanted = given.names or list(BY_NAME)
    if given.names and not given.force and (there := set(wanted) & set(known)):
        sys.exit(f"recorded already: {', '.join(sorted(there))}; --force records anew")
    todo = [name for name in wanted if given.force or name not in known]
    if not todo:
        sys.exit("all cases are recorded; --force records anew")
    prepare_jax()
    record(todo, known)


def record(todo: list[str], known: dict) -> None:
    """Run cases and write each into the file when it is done."""
    with tempfile.TemporaryDirectory() as folder:
        for name in todo:
            began = time.perf_counter(), time.process_time()
            known[name] = trajectory_of(run_case(BY_NAME[name], Path(folder)))
            path = reference.write(known)
            jax.clear_caches()
            wall, own = time.perf_counter() - began[0], time.process_time() - began[1]
            print(f"{name}: {wall:.1f} s ({own:.1f} s of processor)", flush=True)
    print(path.relative_to(Path.cwd()), f"{path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()

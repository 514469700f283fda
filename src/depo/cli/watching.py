"""``depo runs --watch``."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from depo.cli.output import stdout
from depo.cli.runs import print_runs, row_of
from depo.runs.run import find_runs

EVERY = 2.0
"""Seconds between two looks."""
QUIET = 5
"""Looks without any run going on after which nothing more is expected: between two runs of a sweep
there may be one."""


def watch_runs(folder: Path, *, as_json: bool) -> int:
    """Show the table whenever it changes: on a terminal in place, in a pipe one below the other
    (JSON: a line each)."""
    shown: list[dict[str, Any]] | None = None
    quiet = 0
    while True:
        found = [row_of(path) for path in find_runs(folder)]
        if found != shown:
            _show(found, folder, as_json=as_json)
            shown = found
        quiet = 0 if any(row["status"] == "running" for row in found) else quiet + 1
        if quiet >= QUIET or (found and all(row["status"] == "finished" for row in found)):
            return 0
        time.sleep(EVERY)


def _show(found: list[dict[str, Any]], folder: Path, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(found, allow_nan=False), flush=True)
        return
    if stdout.is_terminal:
        stdout.clear()
    if found:
        print_runs(found)
    else:
        stdout.print(f"no runs below {folder} yet", soft_wrap=True)

"""A sweep as a file in its folder: who goes on with it, here or on another machine, needs no more.

FOLDER/sweep.json      every run's job, and whose planners it needs
FOLDER/LABEL           a run
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from depo.core.codec import decode
from depo.core.errors import DepoError, readable
from depo.core.files import read_object
from depo.core.formats import Format
from depo.core.imports import allow, distrust, refuse
from depo.experiments.engines import work_on_one_core
from depo.experiments.sweep import PlannedRun, Sweep
from depo.runs.job import Job

FILE = "sweep.json"
FORMAT = Format("sweep", signed=True)
LABEL = re.compile(r"(?!\.)[\w.,=+-]+(/(?!\.)[\w.,=+-]+)*")
"""Names of runs: they become folders."""


@dataclass(frozen=True)
class _Stored:
    runs: Mapping[str, Mapping[str, Any]]
    plainly: bool
    folder: str = ""
    """Where the runs are; empty: beside the file."""


@dataclass(frozen=True)
class _Run:
    job: Mapping[str, Any]
    after: str = ""


def check_label(label: str) -> None:
    """Refuse what is no name of a folder below another one."""
    if not LABEL.fullmatch(label):
        raise DepoError(
            f"'{readable(label)}' cannot be the name of a run: take letters, digits, '-' and '_'"
        )


def save_sweep(sweep: Sweep, where: Path | None = None) -> Path:
    """Write a sweep to its folder, or to another one that stands for it."""
    for label in sweep.plan:
        check_label(label)
    runs = {
        label: {"job": planned.job.to_json(), "after": planned.after}
        for label, planned in sweep.plan.items()
    }
    wants = {name for planned in sweep.plan.values() for name in planned.job.wants}
    file = (where or sweep.folder) / FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    folder = "" if where is None else str(sweep.folder.resolve())
    stored = {"runs": runs, "plainly": sweep.plainly, "folder": folder}
    FORMAT.write(file, stored, sorted(wants))
    return file


def load_sweep(folder: Path, *, trust: bool = False) -> Sweep:
    """The sweep of a folder; of somebody else's, modules and other folders that it names are
    refused, unless trusted."""
    file = folder / FILE
    if not file.is_file():
        raise DepoError(f"{folder} is no sweep (no {FILE} in it): give a TOML file of runs")
    stored = read_object(file)
    data = decode(_Stored, FORMAT.migrated(stored, str(file)), str(file))
    plan = {}
    for label, text in data.runs.items():
        check_label(label)
        run = decode(_Run, text, f"{file}: {label}")
        plan[label] = PlannedRun(Job.from_json(run.job, f"{file}: {label}"), run.after)
    for label, planned in plan.items():
        if planned.after and (planned.after not in plan or plan[planned.after].after):
            raise DepoError(f"{file}: '{label}' comes after '{planned.after}', which it cannot")
    if data.folder and not (trust or FORMAT.is_own(stored)):
        raise DepoError(
            f"{file} was not made by you, or was changed since, and would write to {data.folder}: "
            "--trust allows it"
        )
    wants = sorted({name for planned in plan.values() for name in planned.job.wants})
    if wants:
        distrust(wants, str(folder))
        if trust:
            allow(wants)
        elif not FORMAT.allow_own(stored, wants):
            raise refuse(str(folder), wants)
    return Sweep(Path(data.folder) if data.folder else folder, plan, data.plainly)


def tasks(sweep: Sweep) -> list[list[str]]:
    """What may be done in any order: a run, and behind it those that need its planners."""
    first = [label for label, planned in sweep.plan.items() if not planned.after]
    behind = {label: [x for x, p in sweep.plan.items() if p.after == label] for label in first}
    return [[label, *behind[label]] for label in first]


def do_task(sweep: Sweep, number: int, say: Callable[[str], None]) -> Sequence[str]:
    """Do one task in this process: begin its runs, or go on with them; returns their labels."""
    every = tasks(sweep)
    if not 0 <= number < len(every):
        raise DepoError(f"task {number} is not between 0 and {len(every) - 1}")
    for label in every[number]:
        if not sweep.is_finished(label):
            work_on_one_core(sweep.job(label).to_json(), str(sweep.path(label)), say)
    return every[number]

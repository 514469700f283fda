"""A TOML file of runs: each a table of flags, above those that all have in common.

    [defaults]
    env = "hopper"
    seeds = 5

    [runs.depo]
    method = "depo"

    [runs.inverted]
    after = "depo"
    dynamics = "inverted"

``after`` names the run whose planners are carried over; its environment, unless another is given,
and its seeds go with them.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from depo.cli.config import named_in, refuse_leading
from depo.cli.training_flags import OF_A_CALL
from depo.cli.training_form import parse_job
from depo.core.errors import DepoError, readable, unknown
from depo.core.files import read_toml
from depo.environments.family import families
from depo.experiments.stored_sweep import check_label
from depo.experiments.sweep import PlannedRun
from depo.methods.registry import TRANSFER, trainable
from depo.runs.job import Job

Table = Mapping[str, Any]
DEFAULTS, RUNS = "defaults", "runs"
METHOD, AFTER, PLANNER = "method", "after", "planner"
NAME = re.compile(r"[A-Za-z][\w-]*")
"""Of a setting, as flags have it."""


def plan_of(file: Path, *, trust: bool = False) -> dict[str, PlannedRun]:
    """A run for every seed of every row, NAME/seed-N; a transfer comes after its own seed's."""
    plan = {}
    for name, row in _tables(file).items():
        job, after = _job(file, name, row, trust=trust), row.get(AFTER, "")
        for seed in job.seeds:
            own = f"{after}/seed-{seed}" if after else ""
            plan[f"{name}/seed-{seed}"] = PlannedRun(dataclasses.replace(job, seeds=(seed,)), own)
    for label, planned in plan.items():
        if planned.after and planned.after not in plan:
            raise DepoError(f"{file}: {label} comes after {planned.after}, which is not there")
    return plan


def _tables(file: Path) -> dict[str, dict[str, Any]]:
    """The rows, each with what all have in common below its own."""
    stored = read_toml(file)
    for name in stored:
        if name not in (DEFAULTS, RUNS):
            raise unknown(f"table of {file}", name, (DEFAULTS, RUNS))
    common, rows = stored.get(DEFAULTS, {}), stored.get(RUNS, {})
    if not isinstance(common, dict) or not isinstance(rows, dict) or not rows:
        raise DepoError(f"{file} names no run: write a table [runs.NAME] for each")
    for name, row in rows.items():
        check_label(name)
        if "/" in name or not isinstance(row, dict):
            raise DepoError(f"{file}: '{name}' is no run: write a table [runs.NAME]")
    full = {name: {**common, **row} for name, row in rows.items()}
    for name, row in full.items():
        for key in (METHOD, AFTER, PLANNER):
            if not isinstance(row.get(key, ""), str):
                raise DepoError(f"{file}: run '{name}': '{key}' is no text")
    return {name: _with_source(file, name, row, full) for name, row in full.items()}


def _with_source(file: Path, name: str, row: Table, rows: Mapping[str, Table]) -> dict[str, Any]:
    """A row that comes after another has that one's environment and seeds below its own."""
    if AFTER not in row:
        return dict(row)
    after = row[AFTER]
    if after not in rows:
        raise unknown(f"run of {file} that '{name}' comes after", after, rows)
    if AFTER in rows[after]:
        raise DepoError(f"{file}: '{name}' comes after '{after}', which has no planner of its own")
    kept = {"env", "env_args", "observe", "seed", "seeds"}
    kept |= {x.name for f in families().values() for x in dataclasses.fields(f.settings)}
    return {k: v for k, v in rows[after].items() if k in kept} | dict(row)


def _job(file: Path, name: str, table: Table, *, trust: bool) -> Job:
    """The job of a row; of one that comes after another, still without its planner."""
    with named_in(f"{file}: run '{name}'"):
        row = _by_names_of_settings(table)
        for flag in row:
            if flag in OF_A_CALL:
                raise DepoError(f"'{flag}' is for the whole sweep: give it on the command line")
        if not trust:
            refuse_leading(row, "it", have_flags=False)
        is_transfer = AFTER in row or PLANNER in row
        method = row.pop(METHOD, TRANSFER if is_transfer else "")
        row.pop(AFTER, None)
        planner = row.pop(PLANNER, "")
        if is_transfer != (method == TRANSFER):
            raise DepoError(f"'{AFTER}' and '{PLANNER}' are for a transfer, not for {method}")
        if not is_transfer and method not in trainable():
            raise unknown("method", method, trainable())
        asked = parse_job(
            method,
            list(_words(row)),
            f"depo sweep {file}",
            name,
            planner=planner,
            cotrains="variants" in row,
        )
    return asked.job


def _by_names_of_settings(row: Table) -> dict[str, Any]:
    """The row, whose keys are names and nothing more: a key such as "env=x:Y" would be a flag with
    its value, of which nobody has looked at the value."""
    found: dict[str, Any] = {}
    for key, value in row.items():
        name = key.replace("-", "_")
        if not NAME.fullmatch(key) or name in found:
            raise DepoError(f"'{readable(key)}' is no name of a setting, or is there twice")
        found[name] = value
    return found


def _words(row: Table) -> Iterator[str]:
    """The row as flags of a command line; no value can pass for another flag.

    >>> list(_words({"env_args": ["a=1", "b=2"], "relabel": False, "skill_rate": 1e-3}))
    ['--env-args', 'a=1', 'b=2', '--no-relabel', '--skill-rate=0.001']
    """
    for name, value in row.items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            yield f"--{flag}" if value else f"--no-{flag}"
        elif isinstance(value, list):
            yield f"--{flag}"
            yield from (_word(name, each) for each in value)
        elif isinstance(value, str | int | float):
            yield f"--{flag}={value}"
        else:
            raise DepoError(f"'{name}' is a {type(value).__name__}: give a number, text or list")


def _word(name: str, value: Any) -> str:
    """A value in a list, which on a command line would be a flag if it looked like one."""
    if isinstance(value, str) and value.startswith("-") and not value[1:2].isdecimal():
        raise DepoError(f"'{name}' holds '{readable(value)}', which is a flag: give it a line")
    return str(value)

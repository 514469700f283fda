"""What a run's settings.json holds: its job, what it was made with, and what it cannot make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from depo.core.codec import decode
from depo.core.errors import DepoError
from depo.core.files import read_object
from depo.core.formats import Data, Format
from depo.environments.names import is_given
from depo.runs.job import Job
from depo.runs.made_with import NotInstalledError, not_installed
from depo.runs.migrations import since_2, since_3, since_4

SETTINGS = "settings.json"
FORMAT = Format("run", (since_2, since_3, since_4), signed=True)


@dataclass(frozen=True)
class StoredRun:
    """What settings.json holds."""

    job: Mapping[str, Any]
    made_with: Mapping[str, str | int] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)
    """What the folder cannot make by itself, and asks for."""


def read_settings(path: Path, stored: Data) -> StoredRun:
    """What a run's file holds, of any version."""
    where = str(path / SETTINGS)
    return decode(StoredRun, FORMAT.migrated(stored, where), where)


def _not_reopened(job: Job) -> dict[str, str]:
    if not is_given(job.environment.id):
        return {}
    name = job.environment.label
    return {"env": f"the object {name}, given from Python: depo.resume(RUN, env=…) and the like"}


def read_job(path: Path) -> tuple[Data, Job]:
    """The file of a run's folder as it is, and the job in it; says which package is missing where
    that is why it cannot be read."""
    stored = read_object(path / SETTINGS)
    settings = read_settings(path, stored)
    try:
        return stored, Job.from_json(settings.job, f"{path / SETTINGS}: job")
    except DepoError as error:
        if missing := not_installed(settings.made_with):
            said = f"{path} was made with {missing}, not installed here: {error}"
            raise NotInstalledError(said) from None
        raise


def write_settings(folder: Path, job: Job, made_with: Mapping[str, str | int]) -> None:
    """Write the file of a new run."""
    about: dict[str, Any] = {"job": job.to_json(), "made_with": dict(made_with)}
    if needs := _not_reopened(job):
        about["needs"] = needs
    FORMAT.write(folder / SETTINGS, about, job.wants)

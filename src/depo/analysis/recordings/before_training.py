"""The check that runs of itself before a training."""

from __future__ import annotations

from depo.analysis.recordings.check import check_in
from depo.core.errors import DepoError
from depo.data.demonstrations import Demonstrations
from depo.data.shipped import load_demonstrations
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.runs.job import Job


class RecordingWarning(UserWarning):
    """Demonstrations that do not fit the environment they are to be imitated in."""


def check_before_training(
    job: Job, demos: Demonstrations | None = None, *, strict: bool = False
) -> tuple[str, ...]:
    """A sentence for everything in a job's demonstrations that does not fit its environment;
    ``strict`` refuses instead.

    Nothing is said of recordings that come with the environment or were made in it by depo, nor
    of what the training itself refuses.
    """
    if demos is None and not job.demos:
        return ()
    try:
        own = load_demonstrations(job.demos) if demos is None else demos
        environment = job.environment.gymnasium().plain()
        if is_own(own, environment):
            return ()
        found = check_in(own, environment)
    except DepoError:
        return ()  # the training says it, with what to do
    if any(finding.kind == "dimension" for finding in found.findings):
        return ()
    if strict:
        found.refuse(f"--strict: {job.demos or 'the recording'}")
    return found.warnings


def is_own(demos: Demonstrations, environment: GymnasiumEnvironment) -> bool:
    """Whether depo recorded them in this very environment, as what ships was."""
    said = demos.metadata
    recorded = (said.get("environment"), said.get("arguments"), said.get("dynamics", ""))
    return recorded == (environment.id, environment.arguments, environment.dynamics)

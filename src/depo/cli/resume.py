"""``depo resume RUN``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import tyro

from depo.cli.flags import parse
from depo.cli.output import stderr
from depo.cli.training import continue_run


@dataclass(frozen=True)
class Resume:
    """Go on with a stopped run. It ends, bit for bit, as if it had never been stopped."""

    run: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """The run's folder."""
    track: Literal["tensorboard", "wandb", "trackio"] = "tensorboard"
    """Who else is told the scalars of metrics.csv; TensorBoard's files are in RUN/events anyway."""
    trust: bool = False
    """Import the modules that the run names, though somebody else made it."""
    json: bool = False
    """Print the result as JSON."""


def run(argv: list[str]) -> int:
    """Resume."""
    flags = parse(Resume, argv, "depo resume")
    from depo.core.runtime import prepare_jax
    from depo.runs.run import Run
    from depo.runs.tracking import Track

    prepare_jax()
    found = Run.open(flags.run, trust=flags.trust)
    if changes := found.differences():
        stderr.print(
            f"not as when the run began, so its end may differ in the last bits: {changes}"
        )
    return continue_run(found, Track(flags.track), as_json=flags.json)

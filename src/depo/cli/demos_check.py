"""``depo demos check FILE --env ID``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from depo.cli.flags import parse
from depo.cli.output import print_json, stderr, stdout
from depo.core.errors import DepoError
from depo.data.shipped import find_demonstrations, load_demonstrations
from depo.environments.arguments import parse_arguments


@dataclass(frozen=True)
class Check:
    """Compare a recording with a short random exploration of an environment."""

    file: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")]
    """An .npz file, or the name of a shipped set."""
    env: str
    """The environment it is to be imitated in: a short name or a Gymnasium id ('module:Id-v0'
    imports)."""
    env_args: tuple[str, ...] = ()
    """Arguments of the environment's constructor, NAME=VALUE, values as JSON."""
    dynamics: str = ""
    """What actions do instead, as in a training."""
    observe: str = ""
    """What of an observation is a state, as in a training."""
    steps: int = 2_000
    """Random steps to compare with; a training takes as many before it begins."""
    figure: str = ""
    """Where to draw the comparison; empty: NAME-check.png in this folder."""
    strict: bool = False
    """Exit with code 1 where something does not fit."""
    json: bool = False
    """Print the result as JSON."""


def run(argv: list[str]) -> int:
    """Check, say, draw."""
    flags = parse(Check, argv, "depo demos check")
    from depo.analysis.recordings.check import check_demonstrations
    from depo.core.runtime import prepare_jax
    from depo.plotting.figures import save_figure
    from depo.plotting.recordings import draw_check

    prepare_jax()
    path = find_demonstrations(flags.file)
    found = check_demonstrations(
        load_demonstrations(path),
        flags.env,
        env_args=parse_arguments(flags.env_args),
        dynamics=flags.dynamics,
        observe=flags.observe,
        steps=flags.steps,
    )
    drawn, lost = None, ""
    if found.comparison is not None:
        to = Path(flags.figure) if flags.figure else Path(f"{path.stem}-check.png")
        try:
            drawn = save_figure(draw_check(found, f"{path.name} and {flags.env}"), to)
        except DepoError as error:  # nobody asked for it, and what was found is worth saying
            if flags.figure:
                raise
            lost = f"no figure: {error} (--figure names another place)"
    if flags.json:
        about = {"file": str(path), "environment": flags.env, **found.to_json()}
        print_json(about | ({"figure": str(drawn)} if drawn else {}))
    else:
        for sentence in found.warnings:
            stdout.print(f"WARNING, {sentence}", soft_wrap=True, style="bold red")
        if found.fits:
            stdout.print(f"{path} fits {flags.env}: nothing wrong was found", soft_wrap=True)
        if found.reach is not None and found.reach.comparable:
            stdout.print(
                f"an action can make {found.reach.share:.0%} of {found.reach.comparable:,} steps "
                "that begin where random exploration was",
                soft_wrap=True,
            )
        if drawn:
            stdout.print(f"figure: {drawn}", soft_wrap=True)
    if lost:
        stderr.print(lost, soft_wrap=True)
    return 1 if flags.strict and not found.fits else 0

"""``depo imagine RUN|PLANNER``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from depo.cli.flags import parse
from depo.cli.output import print_json, print_table, stdout
from depo.environments.arguments import parse_arguments
from depo.zoo.entries import is_zoo


@dataclass(frozen=True)
class Imagine:
    """Roll a planner on its own predictions from real states, beside what really happens.

    Writes a filmstrip and a film where MuJoCo can draw the states, maps on a grid world, the road
    in traffic, curves of the coordinates elsewhere, and the k-step error with its horizon: the
    first step at which the error is above the threshold.
    """

    source: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN|PLANNER")]
    """A run, whose policy gives the real rollout, or a planner folder, which has no policy."""
    env: str = ""
    """Where to look; empty: the run's, or the planner's if it is a MuJoCo task or a grid world."""
    env_args: tuple[str, ...] = ()
    """Arguments of the environment's constructor, NAME=VALUE, values as JSON."""
    demos: str = ""
    """Begin at states of these demonstrations and compare with them instead of a policy."""
    seed: int | None = None
    """Which seed of a run; empty: the first."""
    steps: int = 100
    """Steps to imagine."""
    after: int | None = None
    """Real steps before; empty: 80 on MuJoCo tasks, else 0."""
    starts: int = 10
    """Episodes the error is a mean over; pictures show the first."""
    threshold: float = 1.0
    """The error that ends the horizon. On vectors 1 is what guessing the mean state costs; on a
    grid it is in cells, in traffic in metres."""
    frames: int = 8
    """Pictures in the filmstrip."""
    no_video: bool = False
    """Write no film."""
    out: str = ""
    """Where to write; empty: the folder 'figures' of the run or planner, or zoo-NAME/figures."""
    trust: bool = False
    """Import the modules that the run names, though somebody else made it."""
    json: bool = False
    """Print the result as JSON."""


def run(argv: list[str]) -> int:
    """Imagine."""
    flags = parse(Imagine, argv, "depo imagine")
    from depo.analysis.imagine import imagine
    from depo.core.runtime import prepare_jax
    from depo.plotting.imagined import write_pictures

    prepare_jax()
    imagination = imagine(
        flags.source,
        env=flags.env,
        env_args=parse_arguments(flags.env_args),
        demos=flags.demos,
        seed=flags.seed,
        steps=flags.steps,
        after=flags.after,
        starts=flags.starts,
        trust=flags.trust,
    )
    home = Path(flags.source.replace(":", "-") if is_zoo(flags.source) else flags.source)
    folder = Path(flags.out) if flags.out else home / "figures"
    written = write_pictures(
        imagination,
        folder,
        threshold=flags.threshold,
        frames=max(2, flags.frames),
        video=not flags.no_video,
    )
    compared = bool(imagination.compared_with)
    answer: dict[str, Any] = {
        "source": flags.source,
        "seed": imagination.source.seed,
        "after": imagination.after,
        "starts": imagination.imagined.shape[1],
        "compared_with": imagination.compared_with or None,
        "threshold": flags.threshold if compared else None,
        "horizon": imagination.horizon(flags.threshold) if compared else None,
        "errors": imagination.errors.tolist() if compared else None,
        "files": [str(path) for path in written],
    }
    if flags.json:
        print_json(answer)
        return 0
    if compared:
        rows = [
            [k, imagination.errors[k], imagination.still[k], int(imagination.alive[k].sum())]
            for k in told_steps(flags.steps)
        ]
        columns = ["k", "k-step error", "nothing changes", "starts left"]
        print_table(f"{flags.source}, after {imagination.after} real steps", columns, rows)
        horizon = answer["horizon"]
        reached = "never within these steps" if horizon is None else f"at k = {horizon}"
        stdout.print(f"error above {flags.threshold:g}: {reached}")
    for path in written:
        stdout.print(f"wrote {path}", soft_wrap=True)
    return 0


def told_steps(last: int) -> list[int]:
    """The k of which a table tells: 1, 2, 5 of every power of ten, and the last.

    >>> told_steps(40)
    [1, 2, 5, 10, 20, 40]
    """
    powers = (10**i for i in range(len(str(last))))
    return [k for power in powers for k in (power, 2 * power, 5 * power) if k < last] + [last]

"""``depo evaluate RUN``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import tyro

from depo.cli.flags import parse
from depo.cli.output import print_json, print_table, score_cell, stdout
from depo.core.metrics import find_metric


@dataclass(frozen=True)
class Evaluate:
    """Score what a run has learned: deterministic policy, held-out seeds, its own simulator.

    Where dynamics are known exactly (the grid world), exact scores stand beside the played ones.
    """

    run: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN|POLICY")]
    """The run's folder, a policy folder, or zoo:NAME."""
    episodes: int = 10
    """Episodes for each seed (driving: all validation and test vehicles, whatever this says)."""
    dynamics: str | None = None
    """Other dynamics than the run's, as gravity=0.8, for the policy as it is ('' none at all)."""
    video: bool = False
    """Also write a film of each seed's policy (mp4, or GIF where no encoder is installed)."""
    trust: bool = False
    """Import the modules that the run names, though somebody else made it."""
    json: bool = False
    """Print the result as JSON."""


def run(argv: list[str]) -> int:
    """Evaluate."""
    flags = parse(Evaluate, argv, "depo evaluate")
    from depo.analysis.evaluate import evaluate
    from depo.core.runtime import prepare_jax

    prepare_jax()
    scores = evaluate(
        flags.run, episodes=flags.episodes, dynamics=flags.dynamics, trust=flags.trust
    )
    if not flags.json:
        names = [name for name in scores[0] if name not in ("seed", "planner_digest")]
        rows = [
            [find_metric(name).title, *(score_cell(name, row[name]) for row in scores)]
            for name in names
        ]
        seeds = [f"seed {row['seed']}" for row in scores]
        print_table(f"{flags.run}, as it was kept last", ["score", *seeds], rows)
    films = []
    if flags.video:
        from depo.analysis.video import film
        from depo.runs.run import Run

        written = film(Run.open(flags.run, trust=flags.trust), dynamics=flags.dynamics)
        films = [str(path) for path in written]
    if flags.json:
        print_json({"run": flags.run, "scores": scores, "films": films})
        return 0
    for path in films:
        stdout.print(f"film: {path}")
    return 0

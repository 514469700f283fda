"""``depo evaluate RUN``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import numpy as np
import tyro

from depo.cli.flags import parse
from depo.cli.output import print_json, print_table, score_cell, stdout
from depo.core.codec import encode
from depo.core.metrics import find_metric, number_text

if TYPE_CHECKING:
    from depo.analysis.closeness import Closeness
    from depo.analysis.yardstick import Yardstick
    from depo.evaluation.occupancy_distance import OccupancyDistance
    from depo.runs.run import Run


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
    occupancy: bool = False
    """Also say how well policy and recording can be told apart, and by which features; of itself
    where the recording's returns are unknown."""
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
    from depo.analysis.policies import is_policy_folder
    from depo.analysis.yardstick import Yardstick
    from depo.core.runtime import prepare_jax
    from depo.runs.run import Run

    prepare_jax()
    found = None if is_policy_folder(flags.run) else Run.open(flags.run, trust=flags.trust)
    scores = evaluate(
        found or flags.run, episodes=flags.episodes, dynamics=flags.dynamics, trust=flags.trust
    )
    yardstick, compared = (Yardstick(), []) if found is None else _compared(found, flags)
    films: list[str] = []
    if not flags.json:
        _print_scores(flags.run, scores, yardstick)
        _print_closeness(compared)
    if flags.video:
        from depo.analysis.video import film

        shown = found or Run.open(flags.run, trust=flags.trust)
        films = [str(path) for path in film(shown, dynamics=flags.dynamics)]
    if flags.json:
        ends = {"random": yardstick.random, "expert": yardstick.expert}
        answer = {"run": flags.run, "scores": scores, "yardstick": ends, "films": films}
        print_json(answer | {"occupancy": encode(compared)})
        return 0
    for path in films:
        stdout.print(f"film: {path}")
    return 0


def _compared(run: Run, flags: Evaluate) -> tuple[Yardstick, Sequence[Closeness]]:
    """What random policy and expert have, and how far the policy is from its recording."""
    from depo.analysis.closeness import closeness
    from depo.analysis.yardstick import lacks_returns, yardstick_of

    yardstick = yardstick_of(run if flags.dynamics is None else _under(run, flags.dynamics))
    if not (flags.occupancy or lacks_returns(run)):
        return yardstick, []
    return yardstick, closeness(run, episodes=flags.episodes, dynamics=flags.dynamics)


def _under(run: Run, dynamics: str) -> Run:
    from depo.analysis.evaluate import under

    return replace(run, job=under(run.job, dynamics))


def _print_scores(
    title: str, scores: Sequence[Mapping[str, float | str]], yardstick: Yardstick
) -> None:
    """A column for each seed, and what random policy and expert have of the same."""
    ends = {"random": yardstick.random, "expert": yardstick.expert}
    beside = {name: known for name, known in ends.items() if known}
    rows = []
    for name in scores[0]:
        if name in ("seed", "planner_digest"):
            continue
        row = [score_cell(name, own[name]) for own in scores]
        row += [score_cell(name, known[name]) if name in known else "" for known in beside.values()]
        rows.append([find_metric(name).title, *row])
    seeds = [f"seed {row['seed']}" for row in scores]
    print_table(f"{title}, as it was kept last", ["score", *seeds, *beside], rows)
    if yardstick.note:
        stdout.print(f"no random policy to compare with: {yardstick.note}", soft_wrap=True)
    if yardstick.replayed:
        stdout.print(yardstick.replayed, soft_wrap=True)


def _print_closeness(compared: Sequence[Closeness]) -> None:
    """How far every feature is from the recording's, the furthest first."""
    if not compared:
        return
    first = compared[0].distance
    order = np.argsort([-sum(own.distance.distance[i] for own in compared) for i in _all(first)])
    rows = [
        [
            first.features[i],
            *(number_text(own.distance.distance[i]) for own in compared),
            number_text(first.floor[i]),
        ]
        for i in order
    ]
    whose = "held-out" if compared[0].held_out else "all"
    print_table(
        f"distance from {whose} episodes of the recording, in its deviations (Wasserstein)",
        ["feature", *(f"seed {own.seed}" for own in compared), "recording, halves"],
        rows,
    )
    for own in compared:
        stdout.print(f"seed {own.seed}: {own.told()}", soft_wrap=True)


def _all(distance: OccupancyDistance) -> range:
    return range(len(distance.features))

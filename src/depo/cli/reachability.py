"""``depo reachability RUN``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from depo.cli.flags import parse
from depo.cli.output import print_json, print_table, stdout

MEANING = {
    "nobody": "plans are reached",
    "plan": "most of what is missing, no action would have reached: calibrate the planner more",
    "skill": "most of what is missing, another action would have reached: train the skill more",
}


@dataclass(frozen=True)
class ReachabilityFlags:
    """Are the plans of a run's policy reached, and if not: is the plan to blame, or the skill?

    Writes the figure and the same as JSON to RUN/figures.
    """

    run: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """The run's folder; its method must have a planner and a skill."""
    seed: int | None = None
    """Which seed; empty: the first."""
    episodes: int = 10
    """Episodes played for it (on a grid world: exact, from every start)."""
    demos: str = ""
    """Recordings to compare the planner with, a file or a shipped name, where the run has none of
    its own (a transfer) or others are wanted."""
    out: str = ""
    """Where to write; empty: the folder 'figures' of the run."""
    trust: bool = False
    """Import the modules that the run names, though somebody else made it."""
    json: bool = False
    """Print the result as JSON."""


def run(argv: list[str]) -> int:
    """Report."""
    flags = parse(ReachabilityFlags, argv, "depo reachability")
    from depo.analysis.reachability import reachability
    from depo.core.files import write_json
    from depo.core.runtime import prepare_jax
    from depo.plotting.figures import save_figure
    from depo.plotting.reachability import draw_reachability

    prepare_jax()
    report = reachability(
        flags.run,
        seed=flags.seed,
        episodes=flags.episodes,
        demos=flags.demos,
        trust=flags.trust,
    )
    folder = Path(flags.out) if flags.out else Path(flags.run) / "figures"
    name = f"reachability-seed-{report.seed}"
    title = f"{Path(flags.run).name}, seed {report.seed}"
    figure = save_figure(draw_reachability(report, title), folder / name)
    write_json(folder / f"{name}.json", report.to_json())
    if flags.json:
        print_json({"run": flags.run, "figure": str(figure), **report.to_json()})
        return 0
    columns = zip(
        report.features,
        report.error_by_feature,
        report.bias_by_feature,
        report.error_raw_by_feature,
        strict=True,
    )
    print_table(
        f"{flags.run}, seed {report.seed}: planned − reached",
        ["feature", "mean square", "bias", "mean square, raw"],
        [list(row) for row in columns],
    )
    rows: list[list[str | float | None]] = [
        ["reach error", report.reach_error],
        ["… relative to standing still", report.reach_error_relative],
        ["… no action reaches it (plan)", report.unreachable],
        ["… the best action would have (skill)", report.unskilled],
        ["plans outside the visited region", report.plans_outside],
        ["real transitions outside it", report.reached_outside],
        ["planner term L·C·‖h_E − h‖", report.planner_term],
        ["skill term L·‖I* − I‖", report.skill_term],
        ["‖h_E − h‖ on demonstrations", report.planner_error],
        ["‖I* − I‖ at plans", report.skill_error],
        ["L, slope of the dynamics", report.slope],
        ["C, slope of the inverse", report.inverse_slope],
        ["forward model's error", report.model_error],
    ]
    print_table(f"over {report.steps:,} steps; visited: {report.visited}", ["", "value"], rows)
    stdout.print(f"to blame: {report.blame} ({MEANING[report.blame]})", soft_wrap=True)
    stdout.print(f"figure: {figure}", soft_wrap=True)
    return 0

"""The decoupled policy learned from the environment's reward, against SAC (paper, appendix)."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure

from depo.api import make_job
from depo.experiments.continuous import QUICK, TaskScale, find_demos, runs_of, tasks_of
from depo.experiments.experiment import Experiment, Plan, ScaleSettings
from depo.experiments.sweep import Planned
from depo.report.curves import draw_return_and_reach
from depo.runs.run import Run

METHODS = ("depo-rl", "sac")


SCALES: dict[str, dict[str, TaskScale]] = {
    "smoke": {"hopper": TaskScale(600, 1, METHODS)},
    "laptop": {"hopper": TaskScale(60_000, 1, METHODS)},
    "bench": {
        "hopper": TaskScale(200_000, 3, METHODS),
        "half-cheetah": TaskScale(200_000, 1, METHODS),
        "walker2d": TaskScale(200_000, 1, METHODS),
    },
    "paper": {
        "hopper": TaskScale(1_010_000, 5, METHODS),
        "half-cheetah": TaskScale(2_020_000, 5, METHODS),
        "walker2d": TaskScale(5_620_000, 5, METHODS),
        "humanoid": TaskScale(12_020_000, 5, METHODS),
    },
}
"""Scale, task."""


def _plan(scale: ScaleSettings) -> Plan:
    """Nobody is imitated; as published, demonstrations still standardise depo-rl's states."""
    plan: Plan = {}
    for task, own in SCALES[scale.name].items():
        published = find_demos(scale.demos_dir, task) if scale.name == "paper" else ""
        for method in own.methods:
            job = make_job(
                method,
                env=task,
                demos=published if method == "depo-rl" else "",
                steps=own.steps,
                seeds=scale.seeds or own.seeds,
                preset=scale.preset,
                **(QUICK if scale.name == "smoke" else {}),
            )
            plan[f"{task}-{method}"] = Planned(job)
    return plan


def _draw(runs: Mapping[str, Run], _: ScaleSettings) -> Figure:
    tasks = tasks_of(runs)
    figure = Figure(figsize=(4.3 * len(tasks), 6.6), layout="constrained")
    axes = figure.subplots(2, len(tasks), squeeze=False)
    for column, task in enumerate(tasks):
        draw_return_and_reach(axes[0, column], axes[1, column], runs_of(runs, task))
        axes[0, column].set_title(task, fontsize=10)
    return figure


EXPERIMENTS: dict[str, Experiment] = {
    "fig-rl": Experiment(
        "fig-rl",
        "the decoupled policy on the environment's reward, against SAC (paper, appendix on RL)",
        _plan,
        _draw,
        (
            "return",
            "return_worst_episode",
            "reach_error",
            "reach_error_relative",
            "skill_error",
            "episode_length",
        ),
    )
}

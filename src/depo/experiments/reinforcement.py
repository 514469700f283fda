"""The decoupled policy learned from the environment's reward, against SAC (paper, appendix)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from depo.api import make_job
from depo.experiments import transfer
from depo.experiments.claims import final_values
from depo.experiments.continuous import QUICK, TaskScale, asked, find_demos, runs_of, tasks_of
from depo.experiments.experiment import Experiment, Plan, ScaleSettings
from depo.experiments.sweep import PlannedRun
from depo.methods.registry import TRANSFER
from depo.plotting.curves import draw_before, draw_return_and_reach, one_legend
from depo.runs.run import Run

METHODS = ("depo-rl", "sac")
CARRIED = "transfer-inverted"
"""The planner learned from reward, frozen, with a new skill where every action is reversed, for as
many steps as in figure 8."""


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
    """Rewarded only; as published, demonstrations still standardise depo-rl's states."""
    plan: Plan = {}
    for task in asked(scale, SCALES[scale.name]):
        own = SCALES[scale.name][task]
        published = find_demos(scale.demos_dir, task) if scale.name == "paper" else ""
        for method in own.methods:
            job = make_job(
                method,
                env=task,
                demos=published if method == "depo-rl" else "",
                steps=own.steps,
                seeds=scale.seeds or own.seeds,
                preset=scale.preset,
                overrides=QUICK if scale.name == "smoke" else {},
            )
            plan[f"{task}-{method}"] = PlannedRun(job)
        as_published: dict[str, Any] = {"refit_every": 10_000} if scale.preset == "paper" else {}
        carried = make_job(
            TRANSFER,
            env=task,
            dynamics="inverted",
            steps=transfer.SCALES[scale.name][task].steps,
            seeds=scale.seeds or own.seeds,
            preset=scale.preset,
            overrides=(QUICK if scale.name == "smoke" else {}) | as_published,
        )
        plan[f"{task}-{CARRIED}"] = PlannedRun(carried, f"{task}-depo-rl")
    return plan


def _draw(runs: Mapping[str, Run], _: ScaleSettings) -> Figure:
    """Learning from reward, and beside it the transfer, with what the planner was worth before."""
    columns = []
    for task in tasks_of(runs):
        own = runs_of(runs, task)
        carried = {label: run for label, run in own.items() if label == CARRIED}
        learned = {label: run for label, run in own.items() if label != CARRIED}
        columns += [(task, part, learned) for part in (learned, carried) if part]
    figure = Figure(figsize=(4.3 * len(columns), 6.6), layout="constrained")
    axes = figure.subplots(2, len(columns), squeeze=False)
    for (top, bottom), (task, part, learned) in zip(axes.T, columns, strict=True):
        draw_return_and_reach(top, bottom, part)
        is_carried = CARRIED in part
        top.set_title(f"{task}, actions inverted" if is_carried else task, fontsize=10)
        if is_carried and "depo-rl" in learned:
            draw_before(top, final_values(learned["depo-rl"], "return"))
    one_legend(figure, axes.flat)
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

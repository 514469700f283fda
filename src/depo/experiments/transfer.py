"""Transfer in MuJoCo: the paper's figures 5 (mixed actions, less gravity) and 8 (inverted)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from matplotlib.figure import Figure

from depo.api import make_job
from depo.environments.mujoco import TASKS
from depo.experiments import continuous
from depo.experiments.claims import final_values
from depo.experiments.continuous import QUICK, asked, find_demos, imitation
from depo.experiments.experiment import Experiment, Plan, ScaleSettings, seeds_text
from depo.experiments.sweep import PlannedRun
from depo.plotting.curves import draw_before, draw_return_and_reach, one_legend
from depo.runs.run import Run

DYNAMICS = {"mixed": "mixed,gravity=0.8", "inverted": "inverted"}
"""The setting's word in the labels of runs, and what it means."""
FROM_SCRATCH = ("gaifo", "bco", "sac")
SHARES = (80, 90)
COMPARED = (5_000, 20_000, 50_000)
"""Steps at which everybody's return is told."""


@dataclass(frozen=True)
class TransferScale:
    """How long and how often a task is transferred, and learned from scratch beside."""

    steps: int
    seeds: int
    scratch_steps: int
    scratch_seeds: int
    methods: tuple[str, ...] = FROM_SCRATCH


SCALES: dict[str, dict[str, TransferScale]] = {
    "smoke": {task: TransferScale(600, 1, 600, 1, ("gaifo",)) for task in TASKS},
    "laptop": {
        "inverted-pendulum": TransferScale(5_000, 2, 10_000, 2),
        "hopper": TransferScale(20_000, 1, 30_000, 1, ("gaifo", "sac")),
    },
    "bench": {
        "inverted-pendulum": TransferScale(10_000, 5, 10_000, 5),
        "hopper": TransferScale(20_000, 5, 60_000, 3),
        "half-cheetah": TransferScale(50_000, 3, 100_000, 1),
        "walker2d": TransferScale(50_000, 3, 100_000, 1),
    },
    "paper": {
        task: TransferScale(1_000_000, 5, 1_000_000, 5)
        for task in ("inverted-pendulum", "hopper", "half-cheetah", "walker2d", "humanoid")
    },
}
"""Scale, task: a task of figure 3, whose planners are used, and its demonstrations."""


def _plan(setting: str, scale: ScaleSettings) -> Plan:
    """For each task the planner, its transfer, and the others from scratch."""
    plan: Plan = {}
    for task in asked(scale, SCALES[scale.name]):
        plan |= _plan_task(task, setting, scale)
    return plan


def _plan_fig5(scale: ScaleSettings) -> Plan:
    """Also Hopper in the simple setting: the paper compares the two."""
    return _plan("mixed", scale) | _plan_task("hopper", "inverted", scale)


def _plan_task(task: str, setting: str, scale: ScaleSettings) -> Plan:
    own = SCALES[scale.name].get(task)
    demos = find_demos(scale.demos_dir, task)
    if own is None or not demos or task not in continuous.SCALES[scale.name]:
        return {}
    common: dict[str, Any] = {"env": task, "dynamics": DYNAMICS[setting], "preset": scale.preset}
    quick = QUICK if scale.name == "smoke" else {}
    planner = imitation(scale, task, "depo")
    seeds = min(scale.seeds or own.seeds, len(planner.seeds))
    plan = {f"{task}-depo": PlannedRun(planner)}
    published = {**common, "preset": scale.published_preset}
    transfer = make_job("transfer", steps=own.steps, seeds=seeds, overrides=quick, **published)
    plan[f"{task}-transfer-{setting}"] = PlannedRun(transfer, f"{task}-depo")
    for method in own.methods:
        job = make_job(
            method,
            demos="" if method == "sac" else demos,
            steps=own.scratch_steps,
            seeds=scale.seeds or own.scratch_seeds,
            overrides={"evaluate_every": transfer.settings.saving.evaluate_every, **quick},
            **common,
        )
        plan[f"{task}-{method}-{setting}"] = PlannedRun(job)
    return plan


def _of(runs: Mapping[str, Run], task: str, setting: str) -> dict[str, Run]:
    """A task's runs in a setting by their method."""
    ends = f"-{setting}"
    return {
        label[len(task) + 1 : -len(ends)]: run
        for label, run in runs.items()
        if label.startswith(f"{task}-") and label.endswith(ends)
    }


def _draw(setting: str, runs: Mapping[str, Run], _: ScaleSettings) -> Figure:
    tasks = [task for task in TASKS if _of(runs, task, setting)]
    figure = Figure(figsize=(4.3 * max(len(tasks), 1), 6.6), layout="constrained")
    axes = figure.subplots(2, max(len(tasks), 1), squeeze=False)
    for (top, bottom), task in zip(axes.T, tasks, strict=False):
        own = _of(runs, task, setting)
        draw_return_and_reach(top, bottom, own)
        if f"{task}-depo" in runs:
            draw_before(top, final_values(runs[f"{task}-depo"], "return"))
        top.set_title(f"{task}, {DYNAMICS[setting]}", fontsize=10)
    one_legend(figure, axes.flat)
    return figure


def _steps_table(setting: str, runs: Mapping[str, Run]) -> str:
    """Environment steps to 80% and 90% of the planners' return before the transfer, and where
    everybody is after the same steps."""
    head = ["task", "run", *(f"steps to {share}%" for share in SHARES)]
    head += [f"return at {steps:,}" for steps in COMPARED]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for task in (task for task in TASKS if f"{task}-depo" in runs):
        for method, run in _of(runs, task, setting).items():
            cells = [
                seeds_text(final_values(run, f"steps_to_{share}_of_{task}-depo", runs), "median", 0)
                for share in SHARES
            ]
            cells += [
                seeds_text(final_values(run, f"return@{steps}"), "iqm", 0)
                if run.final_scores()[0]["env_steps"] >= steps
                else "–"
                for steps in COMPARED
            ]
            lines.append("| " + " | ".join([task, method, *cells]) + " |")
    return "\n".join(lines) + "\n\n"


_COLUMNS = ("return", "return_worst_episode", "reach_error", "reach_error_relative", "skill_error")

EXPERIMENTS: dict[str, Experiment] = {
    "fig5": Experiment(
        "fig5",
        "frozen planners under mixed actions and 0.8 g, against learning anew (paper, figure 5)",
        _plan_fig5,
        partial(_draw, "mixed"),
        _COLUMNS,
        partial(_steps_table, "mixed"),
    ),
    "fig8": Experiment(
        "fig8",
        "frozen planners under inverted actions, against learning anew (paper, figure 8)",
        partial(_plan, "inverted"),
        partial(_draw, "inverted"),
        _COLUMNS,
        partial(_steps_table, "inverted"),
    ),
}

"""Ablations: one thing changed at a time, by families; the paper's figure and what we added."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import matplotlib
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from depo.api import make_job
from depo.experiments.continuous import QUICK, asked, find_demos, runs_of, tasks_of
from depo.experiments.experiment import Experiment, Plan, ScaleSettings
from depo.experiments.sweep import PlannedRun
from depo.methods.registry import find_method
from depo.methods.settings_tree import with_values
from depo.plotting.curves import draw_return_and_reach
from depo.runs.run import Run

METHOD = "depo"
"""The run with nothing changed; labelled as in figure 3, with as many seeds it is that run."""

FAMILIES: dict[str, dict[str, dict[str, Any]]] = {
    "weights": {
        "both-0": {"calibration": 0.0, "supervision": 0.0},
        "both-1": {"calibration": 1.0, "supervision": 1.0},
        "supervision-0": {"supervision": 0.0},
    },
    "calibration": {
        "constant": {"calibration_weight": "constant"},
        "calibration-0": {"calibration": 0.0},
    },
    "noise": {"noise-0.1": {"noise": 0.1}, "noise-1": {"noise": 1.0}},
    "refit": {  # few passes where they are many: as many as at 10k would take hours
        "refit-1k": {"skill_schedule": "refit", "refit_every": 1_000, "refit_passes": 20},
        "refit-10k": {"skill_schedule": "refit", "refit_every": 10_000},
    },
    "parts": {
        "no-shift": {"reward_shift": 0.0},
        "no-average": {"average": 0.0},
        "no-critic-norm": {"critic_norm": False},
        "skill-rate-3e-4": {"skill_rate": 3e-4},
        "minibatch-256": {"minibatch": 256},
        "termination-zero": {"termination": "zero"},
        "termination-ignored": {"termination": "ignored"},
        "reward-log-d": {"reward": "log-d"},
        "pair-states": {"pair_input": "states"},
        "relabel": {"relabel": True},
        "replay-20k": {"replay": 20_000},
        "adam-beta-0.25": {"adam_beta": 0.25},
        "no-anneal": {"anneal": 1.0, "anneal_after": 0.0},
        "no-demo-share": {"demo_share": 0.0},
    },
}
"""Family, change: the settings changed. 'parts' takes away what the preset fast added."""

TITLES = {
    "weights": "weights λ_h and c",
    "calibration": "weight of a real transition in CDePG",
    "noise": "noise of the skill while exploring",
    "refit": "fitting the skill: beside every update, or refits",
    "parts": "parts of the preset fast, each taken away",
}
TOGETHER, ACROSS = 5, 5
"""Changes that one panel can show, and panels side by side where there is one for each."""
PAPER = ("both-1", "supervision-0", "constant")
"""The paper's changes; with none it makes four settings."""
EVERY = tuple(change for family in FAMILIES.values() for change in family)


@dataclass(frozen=True)
class TaskScale:
    """How long, how often and with which changes a task is learned."""

    steps: int
    seeds: int
    changes: tuple[str, ...]


SCALES: dict[str, dict[str, TaskScale]] = {
    "smoke": {"hopper": TaskScale(600, 1, ("both-0", "noise-1"))},
    "laptop": {"hopper": TaskScale(60_000, 1, ("both-0", *PAPER, "calibration-0"))},
    "bench": {
        "hopper": TaskScale(60_000, 3, EVERY),
        "half-cheetah": TaskScale(150_000, 1, PAPER),
    },
    "paper": {
        "hopper": TaskScale(1_010_000, 5, PAPER),
        "half-cheetah": TaskScale(2_020_000, 5, PAPER),
    },
}
"""Scale, task."""


def _plan(scale: ScaleSettings) -> Plan:
    settings = {change: own for family in FAMILIES.values() for change, own in family.items()}
    plan: Plan = {}
    for task in asked(scale, SCALES[scale.name]):
        own = SCALES[scale.name][task]
        demos = find_demos(scale.demos_dir, task)
        if not demos:
            continue
        for change in (METHOD, *own.changes):
            quick = QUICK if scale.name == "smoke" else {}
            job = make_job(
                METHOD,
                env=task,
                demos=demos,
                steps=own.steps,
                seeds=scale.seeds or own.seeds,
                preset=scale.published_preset,
                overrides=quick,
            )
            # a change may leave others without effect, which a user would be told
            changed = with_values(job.settings, settings.get(change, {}))
            plan[f"{task}-{change}"] = PlannedRun(replace(job, settings=changed))
    return plan


def _draw(runs: Mapping[str, Run], _: ScaleSettings) -> dict[str, Figure]:
    """A figure for each family of which something was run; without any change, the first."""
    drawn = {}
    for family, changes in FAMILIES.items():
        if tasks := [task for task in tasks_of(runs) if set(changes) & set(runs_of(runs, task))]:
            drawn[family] = _draw_family(family, runs, tasks)
    return drawn or {"weights": _draw_family("weights", runs, tasks_of(runs))}


def _draw_family(family: str, runs: Mapping[str, Run], tasks: list[str]) -> Figure:
    """A panel for each task; where changes are too many for one, a panel for each change."""
    changes = tuple(FAMILIES[family])
    apart = len(changes) > TOGETHER
    shown: list[tuple[str, str, tuple[str, ...]]] = [(x, TITLES[family], changes) for x in tasks]
    if apart:
        shown = [(t, x, (x,)) for t in tasks for x in changes if x in runs_of(runs, t)]
    columns = min(len(shown), ACROSS)
    blocks = math.ceil(len(shown) / columns)
    size = (2.6 * columns, 4.6 * blocks) if apart else (5.2 * columns, 6.6)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(2 * blocks, columns, squeeze=False, sharey="row" if apart else False)
    panels = [pair for block in range(blocks) for pair in axes[2 * block : 2 * block + 2].T]
    palette = matplotlib.colormaps["tab10"]
    for (top, bottom), (task, title, group) in zip(panels, shown, strict=False):
        colours = {change: to_hex(palette(i)) for i, change in enumerate(group, 1)}
        colours[METHOD] = find_method(METHOD).colour
        named = {_describe(x): run for x, run in runs_of(runs, task).items() if x in colours}
        hues = {_describe(change): colour for change, colour in colours.items()}
        draw_return_and_reach(top, bottom, named, hues)
        top.set_title(f"{task}: {title}", fontsize=10)
        bottom.get_legend().remove()
        if apart:
            top.get_legend().remove()
            top.set_xlabel("")
            if top not in axes[:, 0]:
                top.set_ylabel("")
                bottom.set_ylabel("")
    for unused in panels[len(shown) :]:
        for one in unused:
            one.remove()
    if apart:
        figure.suptitle(f"{TITLES[family]} (orange), beside the preset as it is (blue)")
    return figure


def _describe(change: str) -> str:
    return "as it is" if change == METHOD else change


EXPERIMENTS: dict[str, Experiment] = {
    "ablation": Experiment(
        "ablation",
        "DePO in MuJoCo with one thing changed at a time (paper, ablation studies)",
        _plan,
        _draw,
        (
            "return",
            "return_relative",
            "return_worst_episode",
            "reach_error",
            "reach_error_relative",
            "skill_error",
            "planner_log_likelihood",
        ),
    )
}

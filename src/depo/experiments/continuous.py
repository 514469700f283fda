"""The MuJoCo experiments: the paper's figure 3 and its figure of planned against reached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from depo.api import make_job
from depo.core.errors import DepoError
from depo.data.shipped import shipped
from depo.environments.mujoco import TASKS
from depo.experiments.experiment import Experiment, Plan, ScaleSettings
from depo.experiments.reference import Metric, draw_reference, read_reference
from depo.experiments.sweep import PlannedRun
from depo.plotting.curves import draw_return_and_reach, one_legend
from depo.runs.job import Job
from depo.runs.run import Run

REFERENCED: tuple[Metric, ...] = ("return", "reach_error")
"""What other people's curves are drawn of, above and below."""
EVERY_METHOD = ("depo", "gaifo", "depo-agnostic", "gaifo-dp", "depo-supervised", "bco")
RECIPE_METHODS = ("depo", "gaifo", "gaifo-dp", "depo-supervised", "bco")


@dataclass(frozen=True)
class TaskScale:
    """How long, how often and with which methods a task is learned."""

    steps: int
    seeds: int
    methods: tuple[str, ...] = EVERY_METHOD


SCALES: dict[str, dict[str, TaskScale]] = {
    "smoke": {task: TaskScale(600, 1, ("depo", "gaifo")) for task in TASKS},
    "laptop": {
        "inverted-pendulum": TaskScale(20_000, 2, ("depo", "gaifo", "bco")),
        "hopper": TaskScale(60_000, 1, ("depo", "gaifo")),
    },
    "bench": {
        "inverted-pendulum": TaskScale(20_000, 5),
        "hopper": TaskScale(60_000, 5),
        "half-cheetah": TaskScale(150_000, 3, ("depo", "gaifo")),
        "walker2d": TaskScale(200_000, 3, ("depo", "gaifo")),
    },
    "paper": {
        "inverted-pendulum": TaskScale(1_620_000, 5),
        "hopper": TaskScale(1_010_000, 5),
        "half-cheetah": TaskScale(2_020_000, 5),
        "walker2d": TaskScale(5_620_000, 5),
        "humanoid": TaskScale(12_020_000, 5),
    },
}
"""Scale, task. Ant and Humanoid need demonstrations of the user's own (``--demos-dir``)."""

QUICK: dict[str, Any] = {
    "random_steps": 250,
    "batch_steps": 50,
    "evaluate_every": 6,
    "minibatch": 32,
}
"""Settings of a run of seconds, for scale smoke."""


RECIPE_SCALES: dict[str, dict[str, TaskScale]] = {
    "smoke": SCALES["smoke"],
    "laptop": SCALES["laptop"],
    "bench": {
        "inverted-pendulum": TaskScale(15_000, 5, RECIPE_METHODS),
        "hopper": TaskScale(60_000, 5, RECIPE_METHODS),
        "half-cheetah": TaskScale(150_000, 3, RECIPE_METHODS),
        "walker2d": TaskScale(200_000, 3, RECIPE_METHODS),
        "ant": TaskScale(100_000, 3, ("depo", "gaifo")),
        "humanoid": TaskScale(1_000_000, 1, ("depo", "gaifo", "gaifo-dp")),
    },
}
RECIPE_SCALES["paper"] = RECIPE_SCALES["bench"]
"""The same tasks by the recipe, by those methods that have it; the authors never ran it."""


_FIRST_FORM = {"value_unit": "deviation", "updates_per_step": 1.0}
_AS_DRAWN = {f"{x}-depo": _FIRST_FORM for x in ("hopper", "walker2d")}
"""What the recipe was when runs that were not made again since were made (lab notes 39 and 40)."""


def _plan_fig3(scale: ScaleSettings) -> Plan:
    return _plan(scale, SCALES[scale.name], scale.published_preset)


def _plan_recipe(scale: ScaleSettings) -> Plan:
    as_drawn = _AS_DRAWN if scale.name in ("bench", "paper") else {}
    return _plan(scale, RECIPE_SCALES[scale.name], "recipe", as_drawn)


def _plan(
    scale: ScaleSettings,
    tasks: Mapping[str, TaskScale],
    preset: str,
    as_drawn: Mapping[str, dict[str, Any]] = {},
) -> Plan:
    """A run of every method on every task; ``as_drawn``: settings of labels that differ."""
    plan: Plan = {}
    for task in asked(scale, tasks):
        if not find_demos(scale.demos_dir, task):
            continue
        for method in tasks[task].methods:
            label = f"{task}-{method}"
            job = imitation(scale, task, method, tasks[task], preset, as_drawn.get(label, {}))
            plan[label] = PlannedRun(job)
    return plan


def imitation(
    scale: ScaleSettings,
    task: str,
    method: str,
    own: TaskScale | None = None,
    preset: str = "",
    overrides: Mapping[str, Any] = {},
) -> Job:
    """A method's job on a task, as figure 3 has it if nothing else is said."""
    own = own or SCALES[scale.name][task]
    return make_job(
        method,
        env=task,
        demos=find_demos(scale.demos_dir, task),
        steps=own.steps,
        seeds=scale.seeds or own.seeds,
        preset=preset or scale.published_preset,
        overrides=QUICK if scale.name == "smoke" else {**overrides},
    )


def asked(scale: ScaleSettings, tasks: Iterable[str]) -> list[str]:
    """Those of some tasks that have a run among the ones asked for; all where none has."""
    every = list(tasks)
    return [t for t in every if any(label.startswith(f"{t}-") for label in scale.only)] or every


def find_demos(folder: str, task: str) -> str:
    """The demonstrations of a task: shipped by its name, or the one file of its name in a folder.

    >>> find_demos("", "ant")
    ''
    """
    if not folder:
        return task if task in shipped() else ""
    if not Path(folder).is_dir():
        raise DepoError(f"{folder} is not a folder: --demos-dir takes one with recordings by task")
    spellings = {task, task.replace("-", "_"), task.replace("-", "")}
    found = sorted(
        path
        for path in Path(folder).glob("*.npz")
        if any(path.stem.lower().startswith(name) for name in spellings)
    )
    exact = [path for path in found if path.stem.lower() in spellings]
    if len(found) > 1 and len(exact) != 1:
        names = ", ".join(path.name for path in found)
        raise DepoError(f"{folder} has several files for {task} ({names}): name one {task}.npz")
    return str((exact or found)[0].absolute()) if found else ""  # workers may be elsewhere


def tasks_of(runs: Mapping[str, Run]) -> list[str]:
    """The tasks of runs labelled TASK-NAME."""
    return [task for task in TASKS if any(label.startswith(f"{task}-") for label in runs)]


def runs_of(runs: Mapping[str, Run], task: str) -> dict[str, Run]:
    """The runs of one task by their names."""
    own = {label: run for label, run in runs.items() if label.startswith(f"{task}-")}
    return {label.removeprefix(f"{task}-"): run for label, run in own.items()}


def _draw_fig3(runs: Mapping[str, Run], scale: ScaleSettings) -> Figure:
    return _draw(runs, scale, "reach_error")


def _draw_recipe(runs: Mapping[str, Run], scale: ScaleSettings) -> Figure:
    return _draw(runs, scale, "reach_error_relative")


def _draw(runs: Mapping[str, Run], scale: ScaleSettings, reach: str) -> Figure:
    tasks = tasks_of(runs)
    file = scale.reference
    reference: dict[str, Any] = {m: read_reference(file, m) if file else {} for m in REFERENCED}
    figure = Figure(figsize=(4.3 * len(tasks), 6.6), layout="constrained")
    axes = figure.subplots(2, len(tasks), squeeze=False)
    for (top, bottom), task in zip(axes.T, tasks, strict=True):
        own = runs_of(runs, task)
        steps = max(run.job.steps for run in own.values())
        for axes_of, metric in ((top, "return"), (bottom, reach)):
            draw_reference(axes_of, reference.get(metric, {}).get(task, {}), steps)
        draw_return_and_reach(top, bottom, own, reach=reach)
        top.set_title(task, fontsize=10)
    one_legend(figure, axes.flat)
    return figure


COLUMNS = (
    "return",
    "return_relative",
    "reach_error",
    "reach_error_relative",
    "skill_error",
    "planner_log_likelihood",
    "discriminator_accuracy",
)
EXPERIMENTS: dict[str, Experiment] = {
    "fig3": Experiment(
        "fig3",
        "imitation from four state-only trajectories in MuJoCo (paper, figure 3)",
        _plan_fig3,
        _draw_fig3,
        COLUMNS,
    ),
    "recipe": Experiment(
        "recipe",
        "figure 3's tasks, Ant and Humanoid, with one recipe and no constant of a task",
        _plan_recipe,
        _draw_recipe,
        ("return", "return_worst_episode", *COLUMNS[1:]),
    ),
}

"""The paper's table 1, run: every registered method on the same tasks for the same steps, and what
each of them keeps when the actions change.

Runs are ``TASK-METHOD``, and ``TASK-METHOD-CHANGE`` for what the method carries over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from matplotlib.figure import Figure

from depo.api import make_job
from depo.data.shipped import load_demonstrations
from depo.driving.settings import formula_of
from depo.environments.family import EnvironmentSettings, family_of
from depo.experiments.continuous import QUICK, asked, find_demos
from depo.experiments.driving import SCALES as DRIVING
from depo.experiments.experiment import Experiment, Plan, ScaleSettings
from depo.experiments.sweep import PlannedRun
from depo.experiments.table1_rows import compared, facts_of, facts_table, results_table
from depo.methods.registry import OFF_POLICY, ON_POLICY, TRANSFER, LearnerName, MethodSpec, methods
from depo.methods.settings_tree import with_values
from depo.plotting.curves import draw_curves, one_legend
from depo.runs.home import find_environment
from depo.runs.job import Job
from depo.runs.run import Run

ANEW = "gaifo"
"""Learns anew where actions have changed, for as many steps as the others' transfers have: what
there is without anything to carry over."""
REWARD_TRANSFER = "airl-transfer"
SEEDS = {"smoke": 1, "laptop": 1, "bench": 3, "paper": 5}
CARRIED_STEPS = {"smoke": 600}
"""Of a transfer, where it is not 5,000."""


@dataclass(frozen=True)
class Place:
    """A task that methods are compared on."""

    name: str
    learner: LearnerName
    env: str
    steps: Mapping[str, int]
    """By scale; a scale that is missing leaves the task out."""
    change: str
    """The word for other actions, in labels."""
    score: str = "return"
    changed: Mapping[str, Any] = field(default_factory=dict)
    """What a job says of other actions."""
    carried_steps: int = 5_000
    every: int = 2_500
    """Steps between evaluations, the same for all: nobody has more of them to be lucky in."""
    carried_every: int = 1_000
    quick: Mapping[str, Any] = field(default_factory=dict)
    """Settings of scale smoke."""

    def environment(self) -> EnvironmentSettings:
        """As it is before actions change."""
        return find_environment(self.env)

    def demos(self, scale: ScaleSettings) -> str:
        """The recording that is imitated; empty: the environment's own."""
        return find_demos(scale.demos_dir, self.name) if self.score == "return" else ""


def _mujoco(name: str, bench: int, paper: int, **laptop: int) -> Place:
    return Place(
        name,
        OFF_POLICY,
        name,
        {"smoke": 600, "bench": bench, "paper": paper, **laptop},
        "inverted",
        changed={"dynamics": "inverted"},
        quick=QUICK,
    )


PLACES = {
    place.name: place
    for place in (
        Place(
            "grid",
            ON_POLICY,
            "gridworld",
            {"smoke": 640, "laptop": 12_800, "bench": 12_800, "paper": 12_928},
            "k4",
            "success",
            {"env_args": {"k": 4}},
            every=128,
            carried_every=128,
        ),
        _mujoco("inverted-pendulum", 15_000, 1_620_000, laptop=5_000),
        _mujoco("hopper", 30_000, 1_010_000),
        _mujoco("half-cheetah", 50_000, 2_020_000),
        Place(
            "driving",
            OFF_POLICY,
            "driving",
            {"smoke": 400, "bench": 40_000, "paper": 10_000_000},
            "truck",
            "test_success@best_success",
            {"env_args": {"vehicle": "truck"}, "skill": formula_of("truck")},
            carried_steps=0,  # the new skill is a formula
            every=4_000,
            quick=DRIVING["smoke"].settings,
        ),
    )
}
"""By the word that labels begin with."""


def why_not(spec: MethodSpec, place: Place, demos: str) -> str:
    """Why a method has no run on a task; empty: it has one."""
    if place.learner not in spec.implementations:
        return f"has no {place.learner} implementation"
    environment = place.environment()
    if spec.needs_controllers and not family_of(environment).controllers(environment):
        return "no controllers are known here"
    if spec.needs_actions and (not demos or load_demonstrations(demos).actions is None):
        return "the recording has no actions"
    return ""


def _plan(scale: ScaleSettings) -> Plan:
    plan: Plan = {}
    for name in asked(scale, [n for n in PLACES if scale.name in PLACES[n].steps]):
        place = PLACES[name]
        demos = place.demos(scale)
        if place.score == "return" and not demos:
            continue
        for spec in compared(methods()):
            if not why_not(spec, place, demos):
                plan |= _cell(scale, place, spec, demos)
        if place.carried_steps:
            anew = _changed_job(scale, place, ANEW, demos, place.changed)
            plan[f"{name}-{ANEW}-anew-{place.change}"] = PlannedRun(anew)
    return plan


def _cell(scale: ScaleSettings, place: Place, spec: MethodSpec, demos: str) -> Plan:
    """A method on a task, and what it carries over."""
    label = f"{place.name}-{spec.name}"
    shown = demos if spec.needs_demonstrations else ""
    job = _job(scale, place, spec.name, shown, place.steps[scale.name], place.every)
    plan = {label: PlannedRun(job)}
    facts = facts_of(spec)
    if carrier := TRANSFER if facts.planner else REWARD_TRANSFER if facts.reward else "":
        changed = dict(place.changed)
        if spec.needs_controllers:  # a decision is carried out by the controllers of the new body
            there = find_environment(place.env, arguments=changed["env_args"])
            changed["skill"] = family_of(there).controllers(there)
        carried = _changed_job(scale, place, carrier, "", changed)
        plan[f"{label}-{place.change}"] = PlannedRun(carried, label)
    return plan


def _changed_job(
    scale: ScaleSettings, place: Place, method: str, demos: str, changed: Mapping[str, Any]
) -> Job:
    """Where actions have changed, for as long as anybody learns there."""
    steps = min(place.carried_steps, CARRIED_STEPS.get(scale.name, place.carried_steps))
    return _job(scale, place, method, demos, steps, place.carried_every, **changed)


def _job(
    scale: ScaleSettings,
    place: Place,
    method: str,
    demos: str,
    steps: int,
    every: int,
    **changed: Any,
) -> Job:
    common: dict[str, Any] = {"env": place.env, "demos": demos, "steps": steps, **changed}
    common |= {"seeds": scale.seeds or SEEDS[scale.name], "preset": scale.preset}
    quick = place.quick if scale.name == "smoke" else {}
    if steps == 0 or quick:  # by a formula nothing is learned
        return make_job(method, overrides=quick if steps else {}, **common)
    job = make_job(method, **common)
    between = job.steps_per_block // job.settings.saving.evaluate_every
    evaluated = with_values(job.settings, {"evaluate_every": max(1, every // between)})
    return replace(job, settings=evaluated)


def _draw(runs: Mapping[str, Run], _: ScaleSettings) -> Figure:
    """Learning above, after the change of actions below, a column for each task."""
    shown = [place for place in PLACES.values() if _learned(runs, place)]
    figure = Figure(figsize=(4.3 * len(shown) + 1.5, 6.6), layout="constrained")
    axes = figure.subplots(2, len(shown), squeeze=False)
    for (top, bottom), place in zip(axes.T, shown, strict=True):
        metric = place.score.partition("@")[0]
        draw_curves(top, _learned(runs, place), metric)
        draw_curves(bottom, _carried(runs, place), metric, _colours(runs, place))
        top.set_title(place.name, fontsize=10)
        bottom.set_title(f"{place.name}, {place.change}", fontsize=10)
    one_legend(figure, axes.flat)
    return figure


def _learned(runs: Mapping[str, Run], place: Place) -> dict[str, Run]:
    """A task's runs by their method."""
    labels = {spec.name: f"{place.name}-{spec.name}" for spec in compared(methods())}
    return {name: runs[label] for name, label in labels.items() if label in runs}


def _carried(runs: Mapping[str, Run], place: Place) -> dict[str, Run]:
    """Its runs after the change, by the method that left something; who learned anew, too."""
    names = [*(spec.name for spec in compared(methods())), f"{ANEW}-anew"]
    labels = {name: f"{place.name}-{name}-{place.change}" for name in names}
    return {name: runs[label] for name, label in labels.items() if label in runs}


def _colours(runs: Mapping[str, Run], place: Place) -> dict[str, str]:
    """What was carried over has the colour of the method that it is from."""
    known = methods()
    return {n: known[n.removesuffix("-anew")].colour for n in _carried(runs, place)}


def _table(runs: Mapping[str, Run]) -> str:
    """The paper's columns, then a table for each task of which something was run."""
    text = facts_table(compared(methods()))
    for place in PLACES.values():
        learned, carried = _learned(runs, place), _carried(runs, place)
        if learned or carried:
            demos = next((run.job.demos for run in learned.values() if run.job.demos), "")
            demos = demos or (find_demos("", place.name) if place.score == "return" else "")
            reasons = {s.name: why_not(s, place, demos) for s in compared(methods())}
            text += results_table(place.name, place.score, place.change, learned, carried, reasons)
    return text


EXPERIMENTS: dict[str, Experiment] = {
    "table1": Experiment(
        "table1",
        "every method on the same tasks and steps, and what it keeps as actions change (table 1)",
        _plan,
        _draw,
        ("return", "return_relative", "success", "reach_error_relative", "return_kept"),
        _table,
    )
}

"""Driving: figure 6 (co-training), one-shot transfer, and the table of all scores.

A model is chosen by success on validation vehicles and reported by what it does on test vehicles:
``test_…@best_success``. Samples are environment steps of all vehicles together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from matplotlib.figure import Figure

from depo.analysis.imagine import imagine
from depo.analysis.imagined_drives import ImaginedDrives
from depo.api import make_job
from depo.core.metrics import find_metric
from depo.core.score_metrics import DRIVING
from depo.driving.drivers import ConstantVelocity, Driver, ExpertReplay
from depo.driving.opening import open_recording, vehicles_of
from depo.driving.scores import DrivingEvaluator
from depo.driving.settings import DrivingSettings, View, formula_of
from depo.driving.traffic.scenes import find_recording
from depo.experiments.claims import final_values
from depo.experiments.experiment import Experiment, Plan, ScaleSettings, summarise
from depo.experiments.sweep import PlannedRun
from depo.methods.registry import TRANSFER
from depo.plotting.curves import draw_curves, method_colours
from depo.plotting.imagined_drives import draw_imagined_drives
from depo.plotting.points import draw_points
from depo.runs.job import Job
from depo.runs.run import Run

VARIANTS = ("normal", "inverse", "transpose")
CARRIED = ("inverse", "transpose", "truck")
SOURCE = "depo-normal"
"""The run whose planners are carried to other vehicles."""
COTRAINED = "depo-co"
CONSTANT, RECORDED = "constant-velocity", "recorded"
GROUPS = {
    method: {vehicle: f"{method}-{vehicle}" for vehicle in VARIANTS} for method in ("gaifo", "depo")
}
"""Separate policies, a vehicle each, that are read as one."""
CHOSEN = "test_success@best_success"


@dataclass(frozen=True)
class DrivingScale:
    """Environment steps of a run: of a single vehicle, and of all of them co-trained; seeds."""

    depo: int
    gaifo: int
    cotrained: int
    seeds: int
    other_seeds: int
    """For the methods that are in the table only."""
    settings: Mapping[str, Any] = field(default_factory=dict)


SCALES: dict[str, DrivingScale] = {
    "smoke": DrivingScale(
        400,
        400,
        1_200,
        seeds=1,
        other_seeds=1,
        settings={
            "hidden": 16,
            "minibatch": 32,
            "batch_steps": 100,
            "copies": 10,
            "random_steps": 100,
            "evaluate_every": 2,
        },
    ),
    "laptop": DrivingScale(
        40_000, 40_000, 120_000, seeds=1, other_seeds=1, settings={"evaluate_every": 10}
    ),
    "bench": DrivingScale(
        100_000, 100_000, 300_000, seeds=5, other_seeds=3, settings={"evaluate_every": 5}
    ),
    "paper": DrivingScale(10_000_000, 16_200_000, 30_000_000, seeds=5, other_seeds=3),
}
"""What is run; the model is chosen among its evaluations."""


class Published(NamedTuple):
    """A row of the paper's table: success as a share, with its spread; metres; its divergence."""

    success: float
    spread: float
    distance: float
    divergence: float


PAPER = {
    RECORDED: Published(1.0, 0.0, 210.0, 0.0),
    "gaifo": Published(0.703, 0.025, 180.0, 23.0),
    COTRAINED: Published(0.842, 0.052, 192.4, 12.4),
}


def _job(scale: ScaleSettings, method: str, vehicle: str = "normal") -> Job:
    """A method's job with one vehicle, whoever else needs the same run."""
    own = SCALES[scale.name]
    in_table_only = method not in GROUPS
    return make_job(
        method,
        env="driving",
        env_args=_arguments(scale, vehicle),
        steps=own.gaifo if method == "gaifo" else own.depo,
        seeds=scale.seeds or (own.other_seeds if in_table_only else own.seeds),
        preset=scale.preset,
        overrides=own.settings,
    )


def _arguments(scale: ScaleSettings, vehicle: str) -> dict[str, Any]:
    """What is said of the environment; what goes without saying is left out."""
    if scale.recording:
        find_recording(scale.recording)  # a name that is wrong is refused before anything runs
    said = {"recording": scale.recording, "neighbours": _view(scale), "vehicle": vehicle}
    return {n: v for n, v in said.items() if v != getattr(DrivingSettings, n)}


def _view(scale: ScaleSettings) -> View:
    """Our preset sees neighbours from the ego, the authors' as they did."""
    return "gaps" if scale.preset == "fast" else "absolute"


def _plan_fig6(scale: ScaleSettings) -> Plan:
    """GAIfO and DePO with each vehicle apart, and DePO with all of them together."""
    own = SCALES[scale.name]
    together = make_job(
        "depo",
        env="driving",
        env_args=_arguments(scale, "normal"),
        variants=VARIANTS,
        steps=own.cotrained,
        seeds=scale.seeds or own.seeds,
        preset=scale.preset,
        overrides=own.settings,
    )
    apart = {
        label: PlannedRun(_job(scale, method, vehicle))
        for method, labels in GROUPS.items()
        for vehicle, label in labels.items()
    }
    return {COTRAINED: PlannedRun(together), **apart}


def _plan_oneshot(scale: ScaleSettings) -> Plan:
    """The planners of one vehicle, and no step with any other."""
    source = _job(scale, "depo")
    plan = {SOURCE: PlannedRun(source)}
    for vehicle in CARRIED:
        arguments = _arguments(scale, vehicle)
        job = make_job(
            TRANSFER,
            env="driving",
            env_args=arguments,
            skill=formula_of(vehicle),
            steps=0,
            seeds=len(source.seeds),
            preset=scale.preset,
        )
        plan[f"oneshot-{vehicle}"] = PlannedRun(job, SOURCE)
    return plan


def _plan_table(scale: ScaleSettings) -> Plan:
    """Figure 6's runs, and cloning with the formula, to which vehicles are all alike."""
    cloned = {method: PlannedRun(_job(scale, method)) for method in ("bco", "depo-supervised")}
    return _plan_fig6(scale) | cloned


def _scores_of(driver: Driver) -> Callable[[ScaleSettings], dict[str, float]]:
    return lambda scale: _evaluator(scale.recording, _view(scale)).of(driver)


@lru_cache(maxsize=1)
def _evaluator(recording: str, view: View) -> DrivingEvaluator:
    return DrivingEvaluator(DrivingSettings(recording=recording, neighbours=view))


def _draw_fig6(runs: Mapping[str, Run], _: ScaleSettings) -> dict[str, Figure]:
    """Success over samples on validation and on test vehicles; what the planner imagines."""
    shown = {label: runs[label] for label in (*GROUPS, COTRAINED) if label in runs} or runs
    colours = method_colours() | {COTRAINED: "#c62828"}
    figure = Figure(figsize=(10.5, 4.2), layout="constrained")
    parts = {"success": "validation vehicles", "test_success": "test vehicles"}
    for axes, (metric, part) in zip(figure.subplots(1, 2), parts.items(), strict=True):
        draw_curves(axes, shown, metric, colours)
        axes.set_title(part, fontsize=10)
        axes.set_ylabel(find_metric("success").title)
        for label in set(shown) & set(PAPER):
            axes.axhline(PAPER[label].success, color=colours[label], lw=0.8, ls=":")
        axes.set_xlabel("samples: environment steps of all vehicles together")
        axes.set_ylim(0, 1.02)
    drawn = {"": figure}
    planning = next((label for label in (COTRAINED, SOURCE) if label in runs), "")
    if planning:
        imagined = imagine(runs[planning].path)
        assert isinstance(imagined, ImaginedDrives)
        drawn["imagined"] = draw_imagined_drives(imagined)
    return drawn


def _draw_oneshot(runs: Mapping[str, Run], _: ScaleSettings) -> Figure:
    """Success of the chosen planners with every vehicle."""
    figure = Figure(figsize=(7.5, 3.8), layout="constrained")
    parts = {"success": "validation vehicles", "test_success": "test vehicles"}
    for axes, (metric, part) in zip(figure.subplots(1, 2), parts.items(), strict=True):
        values = {
            label.removeprefix("depo-").removeprefix("oneshot-"): final_values(
                run, f"{metric}@best_success"
            )
            for label, run in runs.items()
        }
        draw_points(axes, values, "success")
        axes.set_title(part, fontsize=10)
        axes.set_ylim(0, 1.02)
    return figure


def _draw_table(runs: Mapping[str, Run], _: ScaleSettings) -> Figure:
    """The paper's three columns, and a divergence that is one."""
    shown = _rows(runs) or runs
    panels = {
        "test_success": "success",
        "test_distance": "distance",
        "test_position_divergence": "",
        "test_position_divergence_authors": "divergence",
    }
    figure = Figure(figsize=(16, 4), layout="constrained")
    for axes, (metric, column) in zip(figure.subplots(1, len(panels)), panels.items(), strict=True):
        values = {
            label: final_values(run, f"{metric}@best_success") for label, run in shown.items()
        }
        published = {label: getattr(row, column) for label, row in PAPER.items() if column}
        draw_points(axes, values, metric, published)
    return figure


def _rows(runs: Mapping[str, Run]) -> dict[str, Run]:
    """Who is in the table: all but the parts of what is read together."""
    parts = {label for group in GROUPS.values() for label in group.values()}
    return {label: run for label, run in runs.items() if label not in parts}


def _paper_table(runs: Mapping[str, Run]) -> str:
    """Which recording it is, how models were chosen, and the paper's numbers beside ours."""
    metrics = ("success", "distance", "position_divergence", "position_divergence_authors")
    titles = [find_metric(name).title for name in metrics]
    head = ["test vehicles", titles[0], "paper", titles[1], "paper", *titles[2:], "paper"]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for label, run in _rows(runs).items():
        own = [summarise(run, f"test_{metric}@best_success") for metric in metrics]
        paper = PAPER.get(label)
        theirs = ["–"] * 3
        if paper:
            theirs = [f"{paper.success:.3f} ± {paper.spread:.3f}"]
            theirs += [f"{paper.distance:g}", f"{paper.divergence:g}"]
        cells = [label, own[0], theirs[0], own[1], theirs[1], own[2], own[3], theirs[2]]
        lines.append("| " + " | ".join(cells) + " |")
    return _about(runs) + "\n".join(lines) + "\n\n"


def _about(runs: Mapping[str, Run]) -> str:
    """The recording and the rule of selection, in words."""
    return (
        _recording(runs) + " 'At best success rate': the evaluation with most success on "
        "validation vehicles (the first of equals; of separate policies each one's own); without "
        "it, the last evaluation.\n\n"
    )


def _recording(runs: Mapping[str, Run]) -> str:
    """Which recording it is and how long its zone; whether it is the one claims are about."""
    name = next(iter(runs.values())).job.environment.settings.recording
    recording = open_recording(name)
    begin, end = recording.road.zone
    tested = len(vehicles_of(recording, "test"))
    open_claims = " Claims are about the recording that ships: none is judged." if name else ""
    return (
        f"Recording '{recording.name}', a zone of {end - begin:.0f} m, {tested} test vehicles."
        f"{open_claims}"
    )


EXPERIMENTS: dict[str, Experiment] = {
    "fig6": Experiment(
        "fig6",
        "one planner for three vehicles, against separate ones and GAIfO (paper, figure 6)",
        _plan_fig6,
        _draw_fig6,
        (CHOSEN, "test_success", "success", "steps_to_70"),
        _about,
        groups=GROUPS,
    ),
    "fig-oneshot": Experiment(
        "fig-oneshot",
        "planners carried to other vehicles by formulas, with no step (paper, one-shot transfer)",
        _plan_oneshot,
        _draw_oneshot,
        (CHOSEN, *(f"test_{name}@best_success" for name in ("collisions", "off_road", "distance"))),
        _about,
    ),
    "table-ngsim": Experiment(
        "table-ngsim",
        "driving by every method and by none, all scores (paper, table of NGSIM results)",
        _plan_table,
        _draw_table,
        (CHOSEN, "test_success", *(f"test_{score.name}@best_success" for score in DRIVING)),
        _paper_table,
        groups=GROUPS,
        scored={RECORDED: _scores_of(ExpertReplay()), CONSTANT: _scores_of(ConstantVelocity())},
    ),
}

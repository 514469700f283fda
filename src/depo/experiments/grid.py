"""The grid world's experiments: the paper's figures 2 and 4, and the controls it lacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from depo.api import make_job
from depo.experiments.experiment import Experiment, Plan, ScaleSettings
from depo.experiments.sweep import Planned
from depo.report.curves import COLOURS, draw_curves
from depo.report.figures import greedy_plan, scene
from depo.report.gridmap import draw_map, legend_handles
from depo.runs.run import Run

GAIFO_K4: dict[str, Any] = {"batch_steps": 32, "critic_rate": 1e-3, "actor_rate": 3e-4}
BCO_K4: dict[str, Any] = {"skill_rate": 1e-3}
"""What the tuning table found best from scratch at k = 4."""

KINDS = ("1", "2", "4")
APART = {k: f"depo-k{k}" for k in KINDS}
DETOUR = {"via": ("0,4", "2,4", "2,1", "5,1"), "horizon": 40}
WALLS = ("6,0:6,14", "13,5:13,19")
LARGE: dict[str, Any] = {"size": 20, "walls": WALLS, "copies": 16, "gamma": 0.99}
WIDE: dict[str, Any] = {**LARGE, "batch_steps": 512, "evaluate_every": 5}
"""The expert's way is 60 steps long: γ = 0.95 does not see its end."""


def _planned(scale: ScaleSettings, method: str, **overrides: Any) -> Planned:
    arguments: dict[str, Any] = {"steps": scale.steps, "seeds": scale.seeds or scale.grid_seeds}
    arguments |= {"preset": scale.preset} | overrides
    return Planned(make_job(method, **arguments))


def _transferred(scale: ScaleSettings, after: str, **overrides: Any) -> Planned:
    planned = _planned(scale, "transfer", **({"steps": scale.transfer_steps} | overrides))
    return Planned(planned.job, after)


def _plan_fig2(scale: ScaleSettings) -> Plan:
    names = ("depo", "depo-agnostic", "depo-calibrated", "depo-supervised")  # longest first
    return {name: _planned(scale, name) for name in names}


def _plan_fig4(scale: ScaleSettings) -> Plan:
    again = {"steps": scale.transfer_steps, "k": 4}
    tuned = scale.preset == "fast"
    return {
        "depo": _planned(scale, "depo"),
        "gaifo": _planned(scale, "gaifo"),
        "bco": _planned(scale, "bco"),
        "ppo": _planned(scale, "ppo"),
        "transfer": _transferred(scale, "depo", k=4),
        "gaifo-k4": _planned(scale, "gaifo", **again, **(GAIFO_K4 if tuned else {})),
        "bco-k4": _planned(scale, "bco", **again, **(BCO_K4 if tuned else {})),
        "ppo-k4": _planned(scale, "ppo", **again),
    }


def _plan_controls(scale: ScaleSettings) -> Plan:
    return {
        "depo": _planned(scale, "depo"),
        "depo-constant": _planned(scale, "depo", reward="constant"),
        "gaifo": _planned(scale, "gaifo"),
        "gaifo-constant": _planned(scale, "gaifo", reward="constant"),
    }


def _plan_detour(scale: ScaleSettings) -> Plan:
    names = (
        "depo",
        "depo-calibrated",
        "depo-agnostic",
        "depo-supervised",
        "gaifo",
        "bco",
        "ppo",
    )
    plan = {name: _planned(scale, name, **DETOUR) for name in names}
    constant = _planned(scale, "depo", reward="constant", **DETOUR)
    return {**plan, "depo-constant": constant}


def _plan_walls(scale: ScaleSettings) -> Plan:
    few = {"seeds": min(scale.seeds or scale.grid_seeds, 3)} if scale.steps > 1000 else {}
    steps = {"steps": 5 * scale.steps}
    again = {"steps": 5 * scale.transfer_steps, "k": 4}
    return {
        "depo": _planned(scale, "depo", **WIDE, **steps, **few, epochs=4),
        "gaifo": _planned(scale, "gaifo", **LARGE, **steps, **few, evaluate_every=40),
        "transfer": _transferred(scale, "depo", **{**WIDE, "evaluate_every": 1}, **again, **few),
        "gaifo-k4": _planned(
            scale, "gaifo", **{**LARGE, **GAIFO_K4}, **again, **few, evaluate_every=16
        ),
    }


def _plan_kinds(scale: ScaleSettings) -> Plan:
    """Planners for each k apart, and one for all at the same sum of steps, by both schedules."""
    together: dict[str, Any] = {"types": KINDS, "steps": len(KINDS) * scale.steps}
    return {
        "depo-co": _planned(scale, "depo", **together),
        "depo-joint": _planned(scale, "depo", **together, schedule="joint"),
        **{label: _planned(scale, "depo", k=int(k)) for k, label in APART.items()},
    }


def _draw_maps(runs: Mapping[str, Run], titles: Mapping[str, str]) -> Figure:
    """The setting, then a map for each title, of the first seed."""
    figure = Figure(figsize=(3.1 * (len(titles) + 1), 3.9), layout="constrained")
    axes = figure.subplots(1, len(titles) + 1)
    world, expert = scene(next(iter(runs.values())))
    draw_map(axes[0], world, expert=expert, plan=None, title="(a) the setting and the expert")
    for panel, letter, (label, title) in zip(axes[1:], "bcdef", titles.items(), strict=False):
        seed = runs[label].job.seeds[0]
        heading = f"({letter}) {title}, seed {seed}"
        draw_map(panel, world, expert=expert, plan=greedy_plan(runs[label]), title=heading)
    figure.legend(handles=legend_handles(), loc="outside lower center", ncols=5, fontsize=8)
    return figure


def _draw_fig2(runs: Mapping[str, Run], _: ScaleSettings) -> Figure:
    titles = {
        "depo-supervised": "supervised DePO",
        "depo-agnostic": "agnostic DePG",
        "depo": "DePO",
    }
    return _draw_maps(runs, titles)


def _draw_stages(runs: Mapping[str, Run], _: ScaleSettings) -> Figure:
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    second = [x for x in runs if x.endswith("-k4") or x == "transfer"]
    draw_curves(axes[0], {x: runs[x] for x in runs if x not in second}, "success", "success rate")
    draw_curves(axes[1], {x: runs[x] for x in second}, "success", "success rate")
    axes[0].set_title("k = 1, from scratch", fontsize=10)
    axes[1].set_title("k = 4: planner frozen and a new skill, or from scratch", fontsize=10)
    for panel in axes:
        panel.axhline(0.9, color="black", lw=0.6, ls=":")
    return figure


def _draw_divergence(runs: Mapping[str, Run], _: ScaleSettings) -> Figure:
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    axes = figure.subplots(1, 2)
    draw_curves(axes[0], runs, "success", "success rate")
    label = "exact JS divergence from the expert"
    draw_curves(axes[1], runs, "divergence", label)
    axes[1].get_legend().remove()
    return figure


def _draw_detour(runs: Mapping[str, Run], _: ScaleSettings) -> Figure:
    figure = Figure(figsize=(14, 3.9), layout="constrained")
    axes = figure.subplots(1, 4)
    (world, expert), plan = scene(runs["depo"]), greedy_plan(runs["depo"])
    draw_map(axes[0], world, expert=expert, plan=None, title="the expert's detour")
    seed = runs["depo"].job.seeds[0]
    draw_map(axes[1], world, expert=expert, plan=plan, title=f"DePO's planner, seed {seed}")
    draw_curves(axes[2], runs, "success", "success rate")
    draw_curves(axes[3], runs, "divergence", "exact JS divergence from the expert")
    axes[3].get_legend().remove()
    return figure


def _draw_walls(runs: Mapping[str, Run], _: ScaleSettings) -> Figure:
    figure = Figure(figsize=(14, 4.6), layout="constrained")
    axes = figure.subplots(1, 3)
    (world, expert), plan = scene(runs["depo"]), greedy_plan(runs["depo"])
    seed = runs["depo"].job.seeds[0]
    title = f"DePO's planner on 20×20, seed {seed}"
    draw_map(axes[0], world, expert=expert, plan=plan, title=title)
    draw_curves(axes[1], {x: runs[x] for x in ("depo", "gaifo")}, "success", "success rate")
    axes[1].set_title("k = 1", fontsize=10)
    draw_curves(axes[2], {x: runs[x] for x in ("transfer", "gaifo-k4")}, "success", "success rate")
    axes[2].set_title("k = 4", fontsize=10)
    return figure


def _draw_kinds(runs: Mapping[str, Run], _: ScaleSettings) -> Figure:
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    axes = figure.subplots(1, 2)
    shown = {label: run for label, run in runs.items() if label not in APART.values()}
    colours = {"depo-apart": COLOURS["depo"], "depo-co": "#c62828", "depo-joint": "#e0a030"}
    panels = {
        "success": "success rate, mean over k",
        "legal_moving_undemonstrated": "legal plans, undemonstrated cells",
    }
    for panel, (metric, ylabel) in zip(axes, panels.items(), strict=True):
        draw_curves(panel, shown, metric, ylabel, colours)
    for panel in axes:
        panel.set_xlabel("environment steps of all k together")
    return figure


_PLANNING = (
    "legal_moving_demonstrated",
    "legal_moving_undemonstrated",
    "legal_demonstrated",
    "legal_undemonstrated",
    "success",
    "success_greedy",
    "divergence",
    "divergence_all_starts",
    "divergence_all_starts_floor",
    "steps_to_90",
)
_REACHING = ("steps_to_90", "success", "success_greedy", "divergence", "divergence_all_starts")

EXPERIMENTS: dict[str, Experiment] = {
    e.name: e
    for e in (
        Experiment(
            "fig2",
            "what the planner plans, on demonstrated and undemonstrated cells (paper, figure 2)",
            _plan_fig2,
            _draw_fig2,
            _PLANNING,
        ),
        Experiment(
            "fig4",
            "pre-train with k = 1, transfer to k = 4 (paper, figure 4)",
            _plan_fig4,
            _draw_stages,
            _REACHING,
        ),
        Experiment(
            "controls",
            "a constant reward reaches the goal too: success alone is not imitation",
            _plan_controls,
            _draw_divergence,
            _REACHING,
        ),
        Experiment(
            "detour",
            "the expert's way is not the shortest: only imitation reproduces its occupancy",
            _plan_detour,
            _draw_detour,
            _REACHING,
        ),
        Experiment(
            "kinds",
            "one planner for k = 1, 2 and 4 at once, against planners apart",
            _plan_kinds,
            _draw_kinds,
            ("legal_moving_undemonstrated", *_REACHING),
            groups={"depo-apart": APART},
        ),
        Experiment(
            "walls",
            "a 20×20 world with walls, learned and transferred",
            _plan_walls,
            _draw_walls,
            ("legal_moving_undemonstrated", *_REACHING),
        ),
    )
}

"""The grid world's experiments: the paper's figures 2 and 4, and the controls it lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from depo.api import make_job
from depo.experiments.experiment import Experiment, Plan, ScaleSettings
from depo.experiments.sweep import PlannedRun
from depo.methods.registry import find_method
from depo.plotting.curves import draw_curves
from depo.plotting.figures import greedy_plan, map_and_path
from depo.plotting.gridmap import draw_map, legend_handles
from depo.runs.run import Run

GAIFO_K4: dict[str, Any] = {"minibatch": 16}
BCO_K4: dict[str, Any] = {
    "skill_rate": 1e-3,
    "batch_steps": 64,
    "actor_rate": 1e-2,
    "epsilon": 0.5,
}
"""What the tuning tables found best from scratch at k = 4."""
_GAIFO_THEN: dict[str, Any] = {"batch_steps": 32, "critic_rate": 1e-3, "actor_rate": 3e-4}
"""The same of the first two rounds, with which the map with walls was drawn."""

VARIANTS = ("1", "2", "4")
APART = {k: f"depo-k{k}" for k in VARIANTS}
DETOUR = {"via": ("0,4", "2,4", "2,1", "5,1"), "horizon": 40}
WALLS = ("6,0:6,14", "13,5:13,19")
LARGE: dict[str, Any] = {"size": 20, "walls": WALLS}
FAR: dict[str, Any] = {"copies": 16, "gamma": 0.99}
"""The expert's way is 60 steps long: γ = 0.95 does not see its end."""
WIDE: dict[str, Any] = {**FAR, "batch_steps": 512, "evaluate_every": 5}
K4 = {"k": 4}


def _run(
    scale: ScaleSettings,
    method: str,
    overrides: Mapping[str, Any] | None = None,
    *,
    world: Mapping[str, Any] | None = None,
    steps: int | None = None,
    seeds: int | None = None,
    variants: Sequence[str] = (),
    schedule: str = "round-robin",
    preset: str = "",
) -> PlannedRun:
    job = make_job(
        method,
        env_args=world,
        overrides=overrides,
        steps=scale.steps if steps is None else steps,
        seeds=seeds or scale.seeds or scale.grid_seeds,
        preset=preset or scale.published_preset,
        variants=variants,
        schedule=schedule,
    )
    return PlannedRun(job)


def _transferred(
    scale: ScaleSettings,
    after: str,
    overrides: Mapping[str, Any] | None = None,
    *,
    world: Mapping[str, Any],
    steps: int | None = None,
    **others: Any,
) -> PlannedRun:
    steps = scale.transfer_steps if steps is None else steps
    job = _run(scale, "transfer", overrides, world=world, steps=steps, **others).job
    return PlannedRun(job, after)


def _without_noise(method: str, scale: ScaleSettings) -> dict[str, Any]:
    """The recipe's settings are for any finite states; an action does one thing on the grid."""
    return {"supervision_noise": 0.0} if method == "depo" and scale.preset == "fast" else {}


def _plan_fig2(scale: ScaleSettings) -> Plan:
    names = ("depo", "depo-agnostic", "depo-calibrated", "depo-supervised")  # longest first
    return {
        name: _run(scale, name, _without_noise(name, scale), preset=scale.preset) for name in names
    }


def _plan_fig4(scale: ScaleSettings) -> Plan:
    now: dict[str, Any] = {"preset": scale.preset}
    again: dict[str, Any] = {"steps": scale.transfer_steps, "world": K4, **now}
    tuned = scale.preset == "fast"
    return {
        **{
            name: _run(scale, name, _without_noise(name, scale), **now)
            for name in ("depo", "gaifo", "bco", "ppo")
        },
        "transfer": _transferred(scale, "depo", world=K4, **now),
        "gaifo-k4": _run(scale, "gaifo", GAIFO_K4 if tuned else {}, **again),
        "bco-k4": _run(scale, "bco", BCO_K4 if tuned else {}, **again),
        "ppo-k4": _run(scale, "ppo", **again),
    }


def _plan_controls(scale: ScaleSettings) -> Plan:
    return {
        "depo": _run(scale, "depo"),
        "depo-constant": _run(scale, "depo", {"reward": "constant"}),
        "gaifo": _run(scale, "gaifo"),
        "gaifo-constant": _run(scale, "gaifo", {"reward": "constant"}),
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
    plan = {name: _run(scale, name, world=DETOUR) for name in names}
    constant = _run(scale, "depo", {"reward": "constant"}, world=DETOUR)
    return {**plan, "depo-constant": constant}


def _plan_walls(scale: ScaleSettings) -> Plan:
    seeds = min(scale.seeds or scale.grid_seeds, 3) if scale.steps > 1000 else None
    first: dict[str, Any] = {"steps": 5 * scale.steps, "seeds": seeds, "world": LARGE}
    again: dict[str, Any] = {
        "steps": 5 * scale.transfer_steps,
        "seeds": seeds,
        "world": LARGE | K4,
    }
    tuned = {**FAR, **_GAIFO_THEN, "evaluate_every": 16}
    return {
        "depo": _run(scale, "depo", {**WIDE, "epochs": 4}, **first),
        "gaifo": _run(scale, "gaifo", {**FAR, "evaluate_every": 40}, **first),
        "transfer": _transferred(scale, "depo", {**WIDE, "evaluate_every": 1}, **again),
        "gaifo-k4": _run(scale, "gaifo", tuned, **again),
    }


def _plan_variants(scale: ScaleSettings) -> Plan:
    """Planners for each k apart, and one for all at the same sum of steps, by both schedules."""
    together: dict[str, Any] = {"variants": VARIANTS, "steps": len(VARIANTS) * scale.steps}
    return {
        "depo-co": _run(scale, "depo", **together),
        "depo-joint": _run(scale, "depo", **together, schedule="joint"),
        **{label: _run(scale, "depo", world={"k": int(k)}) for k, label in APART.items()},
    }


def _draw_maps(runs: Mapping[str, Run], titles: Mapping[str, str]) -> Figure:
    """The setting, then a map for each title, of the first seed."""
    figure = Figure(figsize=(3.1 * (len(titles) + 1), 3.9), layout="constrained")
    axes = figure.subplots(1, len(titles) + 1)
    world, expert = map_and_path(next(iter(runs.values())))
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
    draw_curves(axes[0], {x: runs[x] for x in runs if x not in second}, "success")
    draw_curves(axes[1], {x: runs[x] for x in second}, "success")
    axes[0].set_title("k = 1, from scratch", fontsize=10)
    axes[1].set_title("k = 4: planner frozen and a new skill, or from scratch", fontsize=10)
    for panel in axes:
        panel.axhline(0.9, color="black", lw=0.6, ls=":")
        panel.tick_params(labelleft=True)
    return figure


def _draw_divergence(runs: Mapping[str, Run], _: ScaleSettings) -> Figure:
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    axes = figure.subplots(1, 2)
    draw_curves(axes[0], runs, "success")
    draw_curves(axes[1], runs, "divergence")
    axes[1].get_legend().remove()
    return figure


def _draw_detour(runs: Mapping[str, Run], _: ScaleSettings) -> Figure:
    figure = Figure(figsize=(14, 3.9), layout="constrained")
    axes = figure.subplots(1, 4)
    (world, expert), plan = map_and_path(runs["depo"]), greedy_plan(runs["depo"])
    draw_map(axes[0], world, expert=expert, plan=None, title="the expert's detour")
    seed = runs["depo"].job.seeds[0]
    draw_map(axes[1], world, expert=expert, plan=plan, title=f"DePO's planner, seed {seed}")
    draw_curves(axes[2], runs, "success")
    draw_curves(axes[3], runs, "divergence")
    axes[3].get_legend().remove()
    return figure


def _draw_walls(runs: Mapping[str, Run], _: ScaleSettings) -> Figure:
    figure = Figure(figsize=(14, 4.6), layout="constrained")
    axes = figure.subplots(1, 3)
    (world, expert), plan = map_and_path(runs["depo"]), greedy_plan(runs["depo"])
    seed = runs["depo"].job.seeds[0]
    title = f"DePO's planner on 20×20, seed {seed}"
    draw_map(axes[0], world, expert=expert, plan=plan, title=title)
    draw_curves(axes[1], {x: runs[x] for x in ("depo", "gaifo")}, "success")
    axes[1].set_title("k = 1", fontsize=10)
    draw_curves(axes[2], {x: runs[x] for x in ("transfer", "gaifo-k4")}, "success")
    axes[2].set_title("k = 4", fontsize=10)
    return figure


def _draw_variants(runs: Mapping[str, Run], _: ScaleSettings) -> Figure:
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    axes = figure.subplots(1, 2)
    shown = {label: run for label, run in runs.items() if label not in APART.values()}
    colours = {
        "depo-apart": find_method("depo").colour,
        "depo-co": "#c62828",
        "depo-joint": "#e0a030",
    }
    for panel, metric in zip(axes, ("success", "legal_moving_undemonstrated"), strict=True):
        draw_curves(panel, shown, metric, colours)
        panel.set_xlabel("environment steps of all k together")
        panel.set_title("mean over k", fontsize=10)
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
            "variants",
            "one planner for k = 1, 2 and 4 at once, against planners apart",
            _plan_variants,
            _draw_variants,
            ("legal_moving_undemonstrated", *_REACHING),
            groups={"depo-apart": APART},
        ),
        Experiment(
            "walls",
            "a 20×20 grid world with walls, learned and transferred",
            _plan_walls,
            _draw_walls,
            ("legal_moving_undemonstrated", *_REACHING),
        ),
    )
}

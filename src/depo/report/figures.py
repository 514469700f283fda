"""Figures as files, and the picture of one run."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import jax.numpy as jnp
import matplotlib
import numpy as np
from matplotlib.figure import Figure

from depo.environments.gridworld import GridWorld
from depo.files import write_bytes
from depo.models.folder import load_planner
from depo.models.planner import CategoricalPlanner
from depo.report.curves import draw_before, draw_curves
from depo.report.gridmap import draw_map, legend_handles
from depo.runs.planners import return_before
from depo.runs.run import Run
from depo.settings import OFF_POLICY, TRANSFER

matplotlib.rcParams["svg.hashsalt"] = "depo"


def save_figure(figure: Figure, path: Path) -> Path:
    """Write PNG and PDF, each whole or not at all; returns the PNG."""
    for kind, more in {"pdf": {"metadata": {"CreationDate": None}}, "png": {"dpi": 130}}.items():
        drawn = BytesIO()
        figure.savefig(drawn, format=kind, bbox_inches="tight", **more)  # type: ignore[arg-type]
        write_bytes(path.with_suffix(f".{kind}"), drawn.getvalue())
    return path.with_suffix(".png")


def scene(run: Run) -> tuple[GridWorld, np.ndarray]:
    """The world of a grid run and the expert's path in it."""
    settings, demos = run.job.environment.world, run.demonstrations()
    assert settings is not None
    assert demos is not None
    return GridWorld(settings), next(iter(demos))


def greedy_plan(run: Run) -> np.ndarray:
    """The most likely next state of every state, by the planner of the run's first seed."""
    planner = load_planner(run.path / "planner" / f"seed-{run.job.seeds[0]}")
    assert isinstance(planner, CategoricalPlanner)
    return np.asarray(planner.mode(jnp.arange(planner.states)))


def figure_of_run(run: Run) -> Path:
    """Learning curve; on a grid world also the planner's map, on vectors how plans are reached."""
    if run.job.learner == OFF_POLICY:
        return save_figure(_figure_of_vectors(run), run.path / "figures" / "run")
    metric = "success" if any("success" in row for row in run.metrics()[:1]) else "return"
    planner = run.path / "planner" / f"seed-{run.job.seeds[0]}"
    with_map = run.job.environment.world is not None and planner.exists()
    figure = Figure(figsize=(9.5 if with_map else 5, 4), layout="constrained")
    axes = figure.subplots(1, 2 if with_map else 1, squeeze=False)[0]
    label = run.job.method
    draw_curves(axes[0], {label: run}, metric, metric)
    axes[0].set_title(f"{label}, {run.job.environment.label}", fontsize=10)
    if with_map:
        world, expert = scene(run)
        title = f"planner, seed {run.job.seeds[0]}"
        draw_map(axes[1], world, expert=expert, plan=greedy_plan(run), title=title)
        axes[1].legend(
            handles=legend_handles(),
            fontsize=7,
            loc="upper center",
            ncols=2,
            bbox_to_anchor=(0.5, 0.0),
            frameon=False,
        )
    return save_figure(figure, run.path / "figures" / "run")


def _figure_of_vectors(run: Run) -> Figure:
    """Return, and where there is a planner the error between planned and reached states."""
    plans = any("reach_error" in row for row in run.metrics()[:1])
    figure = Figure(figsize=(9.5 if plans else 5, 4), layout="constrained")
    axes = figure.subplots(1, 2 if plans else 1, squeeze=False)[0]
    label = run.job.method
    draw_curves(axes[0], {label: run}, "return", "return")
    demos = run.demonstrations()
    if demos is not None and demos.episode_returns is not None:
        expert = float(demos.episode_returns.mean())
        axes[0].axhline(expert, color="grey", lw=0.8, ls="--", label="expert")
    if run.job.method == TRANSFER:
        known = [return_before(run, seed) for seed in run.job.seeds]
        if before := [x for x in known if x is not None]:
            draw_before(axes[0], before, "before, and 90%")
    axes[0].legend(fontsize=8)
    axes[0].set_title(f"{label}, {run.job.environment.label}", fontsize=10)
    if plans:
        draw_curves(axes[1], {label: run}, "reach_error", "reach error, standardised")
        axes[1].set_yscale("log")
        axes[1].set_title("planned minus reached, mean square", fontsize=10)
    return figure

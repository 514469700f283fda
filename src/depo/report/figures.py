"""Figures as files, and the picture of one run."""

from __future__ import annotations

from pathlib import Path

import jax.numpy as jnp
import matplotlib
import numpy as np
from matplotlib.figure import Figure

from depo.environments.gridworld import GridWorld
from depo.models.folder import load_planner
from depo.models.planner import CategoricalPlanner
from depo.report.curves import draw_curves
from depo.report.gridmap import draw_map, legend_handles
from depo.runs.run import Run

matplotlib.rcParams["svg.hashsalt"] = "depo"


def save_figure(figure: Figure, path: Path) -> Path:
    """Write PNG and PDF; returns the PNG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path.with_suffix(".png"), dpi=130, bbox_inches="tight")
    figure.savefig(path.with_suffix(".pdf"), bbox_inches="tight", metadata={"CreationDate": None})
    return path.with_suffix(".png")


def greedy_plan(folder: Path) -> np.ndarray:
    """The most likely next state of every state, of a saved planner."""
    planner = load_planner(folder)
    assert isinstance(planner, CategoricalPlanner)
    return np.asarray(planner.mode(jnp.arange(planner.states)))


def figure_of_run(run: Run) -> Path:
    """Learning curve, and on a grid world the planner's map."""
    metric = "success" if any("success" in row for row in run.metrics()[:1]) else "return"
    world = run.job.environment.world
    folder = run.path / "planner" / f"seed-{run.job.seeds[0]}"
    with_map = world is not None and folder.exists()
    figure = Figure(figsize=(9.5 if with_map else 5, 4), layout="constrained")
    axes = figure.subplots(1, 2 if with_map else 1, squeeze=False)[0]
    label = run.job.method
    draw_curves(axes[0], {label: run}, metric, metric)
    axes[0].set_title(f"{label}, {run.job.environment.label}", fontsize=10)
    if with_map:
        assert world is not None
        grid, demos = GridWorld(world), run.demonstrations()
        assert demos is not None
        title = f"planner, seed {run.job.seeds[0]}"
        expert = next(iter(demos))
        draw_map(axes[1], grid, expert=expert, plan=greedy_plan(folder), title=title)
        axes[1].legend(
            handles=legend_handles(),
            fontsize=7,
            loc="upper center",
            ncols=2,
            bbox_to_anchor=(0.5, 0.0),
            frameon=False,
        )
    return save_figure(figure, run.path / "figures" / "run")

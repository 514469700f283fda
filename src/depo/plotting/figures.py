"""Figures as files, and the picture of one run."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import jax.numpy as jnp
import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from depo.analysis.yardstick import known_score, yardstick_of
from depo.core.files import write_bytes
from depo.core.plugins import add_once
from depo.environments.family import GRID
from depo.environments.grid.gridworld import GridWorld
from depo.methods.registry import OFF_POLICY
from depo.models.folder import load_planner
from depo.models.planner import CategoricalPlanner
from depo.plotting.axes import legend_below, log_scale
from depo.plotting.before_after import draw_before_after
from depo.plotting.curves import draw_before, draw_curves, draw_yardstick
from depo.plotting.gridmap import draw_map, legend_handles
from depo.plotting.words import literal
from depo.runs.planners import return_before
from depo.runs.run import Run

matplotlib.rcParams["svg.hashsalt"] = "depo"


def save_figure(figure: Figure, path: Path) -> Path:
    """Write PNG and PDF, each whole or not at all; returns the PNG."""
    for kind, more in {"pdf": {"metadata": {"CreationDate": None}}, "png": {"dpi": 130}}.items():
        drawn = BytesIO()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing")  # a letter the font lacks
            figure.savefig(drawn, format=kind, bbox_inches="tight", **more)  # type: ignore[arg-type]
        write_bytes(path.with_suffix(f".{kind}"), drawn.getvalue())
    return path.with_suffix(".png")


def map_and_path(run: Run) -> tuple[GridWorld, np.ndarray]:
    """The grid world of a run and the expert's path in it."""
    settings, demos = run.job.environment.settings, run.demonstrations()
    assert demos is not None
    return GridWorld(settings), next(iter(demos))


def greedy_plan(run: Run) -> np.ndarray:
    """The most likely next state of every state, by the planner of the run's first seed."""
    planner = load_planner(run.path / "planner" / f"seed-{run.job.seeds[0]}")
    assert isinstance(planner, CategoricalPlanner)
    return np.asarray(planner.mode(jnp.arange(planner.states)))


def draw_run(run: Run) -> Path:
    """Learning curve; where there is a map also the planner's, on vectors how plans are reached."""
    if run.job.learner == OFF_POLICY:
        drawn = _figure_of_vectors(run) if run.job.blocks else draw_before_after(run)
        return save_figure(drawn, run.path / "figures" / "run")
    planner = run.path / "planner" / f"seed-{run.job.seeds[0]}"
    draw = _maps.get(run.job.environment.family) if planner.exists() else None
    figure = Figure(figsize=(9.5 if draw else 5, 4), layout="constrained")
    axes = figure.subplots(1, 2 if draw else 1, squeeze=False)[0]
    label = run.job.method
    draw_curves(axes[0], {label: run}, known_score(run.metrics()))
    draw_yardstick(axes[0], yardstick_of(run), known_score(run.metrics()))
    axes[0].legend(fontsize=8)
    axes[0].set_title(literal(f"{label}, {run.job.environment.label}"), fontsize=10)
    if draw:
        draw(axes[1], run)
    return save_figure(figure, run.path / "figures" / "run")


def register_map(family: str, draw: Callable[[Axes, Run], None]) -> None:
    """Say how the planner of a run is drawn in a family of finite states, beside its curve."""
    add_once(_maps, family, draw, "map")


def _draw_grid(axes: Axes, run: Run) -> None:
    world, expert = map_and_path(run)
    title = f"planner, seed {run.job.seeds[0]}"
    draw_map(axes, world, expert=expert, plan=greedy_plan(run), title=title)
    axes.legend(
        handles=legend_handles(),
        fontsize=7,
        loc="upper center",
        ncols=2,
        bbox_to_anchor=(0.5, 0.0),
        frameon=False,
    )


_maps: dict[str, Callable[[Axes, Run], None]] = {}
register_map(GRID, _draw_grid)


def _figure_of_vectors(run: Run) -> Figure:
    """Return, and where there is a planner the error between planned and reached states."""
    plans = any("reach_error" in row for row in run.metrics()[:1])
    figure = Figure(figsize=(9.5 if plans else 5, 4), layout="constrained")
    axes = figure.subplots(1, 2 if plans else 1, squeeze=False)[0]
    label = run.job.method
    draw_curves(axes[0], {label: run}, known_score(run.metrics()))
    draw_yardstick(axes[0], yardstick_of(run), known_score(run.metrics()))
    if run.job.spec.takes_planner:
        known = [return_before(run, seed) for seed in run.job.seeds]
        if before := [x for x in known if x is not None]:
            draw_before(axes[0], before)
    legend_below(axes[0])
    axes[0].set_title(literal(f"{label}, {run.job.environment.label}"), fontsize=10)
    if plans:
        draw_curves(axes[1], {label: run}, "reach_error")
        log_scale(axes[1])
        axes[1].set_title("planned minus reached, mean square", fontsize=10)
    return figure

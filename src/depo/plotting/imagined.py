"""Pictures of imagined rollouts: filmstrip, film, coordinate curves, paths, error over k."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from depo.analysis.imagination import Imagination
from depo.analysis.imagined_drives import ImaginedDrives
from depo.analysis.imagined_walks import ImaginedWalks
from depo.analysis.video import film_kind, write_film
from depo.environments.grid.gridworld import GridWorld
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.mujoco_states import MujocoStates, side_by_side
from depo.plotting.axes import legend_below, log_scale
from depo.plotting.figures import save_figure
from depo.plotting.gridmap import draw_map, draw_path
from depo.plotting.imagined_drives import draw_imagined_drives
from depo.plotting.words import literal

IMAGINED, REAL, STILL = "#c62828", "#1b4f8a", "#7f7f7f"
MAPS = 4
FRAMES_A_SECOND = 25.0


def write_pictures(
    imagination: Imagination, folder: Path, *, threshold: float, frames: int, video: bool
) -> list[Path]:
    """What there is to see of an imagination: a film where poses are known, curves, maps, roads."""
    name = f"imagined-seed-{imagination.source.seed}"
    environment, written = imagination.source.gymnasium, []
    if isinstance(imagination, ImaginedWalks):
        written.append(save_figure(draw_paths(imagination, imagination.world), folder / name))
    elif isinstance(imagination, ImaginedDrives):
        written.append(save_figure(draw_imagined_drives(imagination), folder / name))
    elif MujocoStates.known(environment, imagination.imagined.shape[-1]):
        written += _write_films(imagination, environment, folder / name, frames=frames, video=video)
    else:
        written.append(save_figure(draw_features(imagination), folder / name))
    if imagination.compared_with:
        figure = Figure(figsize=(5.6, 3.6), layout="constrained")
        draw_errors(figure.subplots(), imagination, threshold)
        written.append(save_figure(figure, folder / f"{name}-error"))
    return written


def _write_films(
    imagination: Imagination,
    environment: GymnasiumEnvironment,
    path: Path,
    *,
    frames: int,
    video: bool,
) -> list[Path]:
    """The first start: the imagined body above (in the film: left of) the real one."""
    simulator = MujocoStates(environment.plain())
    try:
        films = {"imagined": simulator.draw(imagination.imagined[:, 0])}
        if imagination.compared_with:
            length = int(imagination.alive[:, 0].sum())
            films["real"] = simulator.draw(imagination.real[:length, 0])
    finally:
        simulator.close()
    index = np.linspace(0, len(films["imagined"]) - 1, frames).round().astype(int)
    framed = {name: [simulator.frame(picture) for picture in film] for name, film in films.items()}
    written = [save_figure(draw_filmstrip(framed, index, imagination, simulator.seconds), path)]
    if video:
        labelled = [
            [_label(x, f"{row}, step {t}") for t, x in enumerate(f)] for row, f in films.items()
        ]
        rate = min(1.0 / simulator.seconds, FRAMES_A_SECOND)
        written.append(
            write_film(path.with_suffix(f".{film_kind()}"), side_by_side(labelled), rate)
        )
    return written


def draw_filmstrip(
    films: dict[str, list[np.ndarray]],
    index: Sequence[int] | np.ndarray,
    imagination: Imagination,
    seconds: float,
) -> Figure:
    """A row for each film, a column for each of some steps; an ended episode leaves a gap."""
    figure = Figure(figsize=(1.55 * len(index), 1.62 * len(films) + 0.35), layout="constrained")
    axes = figure.subplots(len(films), len(index), squeeze=False)
    for row, (name, film) in enumerate(films.items()):
        for column, step in enumerate(index):
            own = axes[row, column]
            own.set(xticks=[], yticks=[])
            if step < len(film):
                own.imshow(film[step])
            else:
                own.text(0.5, 0.5, "ended", ha="center", transform=own.transAxes, fontsize=8)
                own.set_box_aspect(1)
            if row == 0:
                own.set_title(f"k = {step}\n{step * seconds:.2f} s", fontsize=8)
        axes[row, 0].set_ylabel(name if name == "imagined" else _real(imagination), fontsize=9)
    return figure


def draw_features(imagination: Imagination) -> Figure:
    """Where poses are unknown: every feature over steps, imagined and real, of the first start."""
    features = imagination.imagined.shape[-1]
    columns = min(4, features)
    rows = -(-features // columns)
    figure = Figure(figsize=(3.0 * columns, 1.9 * rows + 0.5), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, sharex=True).ravel()
    for i in range(features):
        axes[i].plot(imagination.imagined[:, 0, i], color=IMAGINED, lw=1.4)
        if imagination.compared_with:
            length = int(imagination.alive[:, 0].sum())
            axes[i].plot(imagination.real[:length, 0, i], color=REAL, lw=1.4, ls="--")
        axes[i].set_title(literal(imagination.feature_names[i]), fontsize=8)
        axes[i].grid(alpha=0.25)
    for own in axes[features:]:
        own.set_axis_off()
    figure.supxlabel("steps k", fontsize=9)
    figure.legend(handles=_handles(imagination), loc="outside upper center", ncols=2, fontsize=8)
    return figure


def draw_paths(imagination: Imagination, world: GridWorld) -> Figure:
    """A map for each of a few starts: the imagined path, and the real one dashed beside it."""
    count = min(MAPS, imagination.imagined.shape[1])
    picked = np.linspace(0, imagination.imagined.shape[1] - 1, count).round().astype(int)
    figure = Figure(figsize=(3.1 * count, 3.6), layout="constrained")
    for own, i in zip(figure.subplots(1, count, squeeze=False)[0], picked, strict=True):
        start = world.cell(int(imagination.imagined[0, i]))
        draw_map(own, world, expert=np.zeros(0, int), plan=np.arange(0), title=f"from {start}")
        if imagination.compared_with:
            length = int(imagination.alive[:, i].sum())
            draw_path(own, world, imagination.real[:length, i], REAL, dashed=True, shift=-0.09)
        draw_path(own, world, _to_goal(world, imagination.imagined[:, i]), IMAGINED, shift=0.09)
    figure.legend(handles=_handles(imagination), loc="outside lower center", ncols=2, fontsize=8)
    return figure


def draw_errors(axes: Axes, imagination: Imagination, threshold: float) -> None:
    """The k-step error with its threshold and horizon."""
    steps = np.arange(len(imagination.errors))
    axes.plot(steps, imagination.errors, color=IMAGINED, lw=1.8, label="imagined")
    axes.plot(steps, imagination.still, color=STILL, lw=1.2, ls="--", label="nothing changes")
    axes.axhline(threshold, color="black", lw=0.8, ls=":", label=f"threshold {threshold:g}")
    horizon = imagination.horizon(threshold)
    if horizon is not None:
        axes.axvline(horizon, color="black", lw=0.8)
    reached = f"horizon {horizon} steps" if horizon is not None else "threshold never exceeded"
    starts = imagination.imagined.shape[1]
    axes.set_title(
        f"{reached}; {starts} starts, compared with the {_other(imagination)}", fontsize=9
    )
    axes.set(xlabel="steps k imagined", ylabel=f"k-step error, {imagination.unit}")
    if imagination.is_logarithmic:
        log_scale(axes)
    axes.grid(alpha=0.25)
    legend_below(axes)


def _other(imagination: Imagination) -> str:
    return "policy's rollout" if imagination.compared_with == "policy" else "demonstrations"


def _real(imagination: Imagination) -> str:
    return "real" if imagination.compared_with == "policy" else "recorded"


def _handles(imagination: Imagination) -> list[Line2D]:
    handles = [Line2D([], [], color=IMAGINED, label="imagined by the planner")]
    if imagination.compared_with:
        label = f"{_real(imagination)} ({_other(imagination)})"
        handles.append(Line2D([], [], color=REAL, ls="--", label=label))
    return handles


def _to_goal(world: GridWorld, path: np.ndarray) -> np.ndarray:
    arrived = np.flatnonzero(path == world.goal)
    return path[: arrived[0] + 1] if len(arrived) else path


def _label(picture: np.ndarray, text: str) -> np.ndarray:
    from PIL import Image, ImageDraw, ImageFont

    image = Image.fromarray(picture)
    ImageDraw.Draw(image).text((10, 8), text, fill="white", font=ImageFont.load_default(20))
    return np.asarray(image)

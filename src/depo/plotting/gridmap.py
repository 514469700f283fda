"""Maps of a planner on the grid world: an arrow for every cell, illegal plans unmistakable."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Rectangle

from depo.environments.grid.gridworld import GridWorld
from depo.plotting.words import literal

EXPERT, SHADE, LEGAL, ILLEGAL = "#ffe08a", "#d9d9d9", "#1b4f8a", "#c62828"


def draw_map(
    axes: Axes, world: GridWorld, *, expert: np.ndarray, plan: np.ndarray | None, title: str
) -> None:
    """Expert cells yellow, shaded zone grey, walls black; ``plan`` holds s' for every cell.

    An empty plan leaves the map without arrows.

    A legal plan is a blue arrow into the neighbour, "stay" a blue ring, an illegal plan a dashed
    red arrow to wherever it points.
    """
    _draw_background(axes, world, expert)
    if plan is None:
        for state, target in pairwise(expert):
            _arrow(axes, world, int(state), int(target), "black")
    elif len(plan):
        reachable = [set(row.tolist()) for row in world.successor]
        for state in np.flatnonzero(world.distance_to_goal > 0):
            target = int(plan[state])
            legal = target in reachable[state]
            _arrow(axes, world, int(state), target, LEGAL if legal else ILLEGAL, dashed=not legal)
    axes.set_title(literal(title), fontsize=10)


def legend_handles() -> list[Line2D]:
    """What the arrows mean."""
    return [
        Line2D([], [], color=LEGAL, marker=">", label="legal plan"),
        Line2D([], [], color=LEGAL, marker="o", mfc="none", ls="", label="plan to stay"),
        Line2D([], [], color=ILLEGAL, ls="--", marker=">", label="illegal plan (not a neighbour)"),
        Line2D([], [], color=EXPERT, marker="s", ls="", ms=10, label="expert's cells"),
        Line2D([], [], color=SHADE, marker="s", ls="", ms=10, label="no episode starts here"),
    ]


def draw_path(
    axes: Axes,
    world: GridWorld,
    path: np.ndarray,
    colour: str,
    *,
    dashed: bool = False,
    shift: float = 0.0,
) -> None:
    """A walk through cells, with a ring where it begins; ``shift`` keeps two apart."""
    x, y = (np.array([world.cell(int(s)) for s in path]) + 0.5 + shift).T
    axes.plot(x, y, color=colour, lw=1.6, ls="--" if dashed else "-", zorder=4)
    axes.plot(x[-1:], y[-1:], color=colour, marker=".", ms=7, zorder=5)
    axes.plot(x[:1], y[:1], color=colour, marker="o", mfc="white", ms=6, zorder=5)


def _draw_background(axes: Axes, world: GridWorld, expert: np.ndarray) -> None:
    size = world.settings.size
    visited = set(expert.tolist())
    starts = set(world.starts.tolist())
    for state in range(world.states):
        x, y = world.cell(state)
        no_start = state not in starts and state != world.goal
        colour = "black" if world.wall[x, y] else SHADE if no_start else "white"
        axes.add_patch(Rectangle((x, y), 1, 1, facecolor=colour, edgecolor="#9a9a9a", lw=0.5))
        if state in visited:
            inset = 0.1 if no_start else 0.0
            side = 1 - 2 * inset
            axes.add_patch(Rectangle((x + inset, y + inset), side, side, color=EXPERT, lw=0))
    gx, gy = world.cell(world.goal)
    axes.plot(gx + 0.5, gy + 0.5, marker="*", color="#2e7d32", ms=110 / size, zorder=3)
    axes.set(xlim=(0, size), ylim=(0, size), aspect="equal", xticks=[], yticks=[])


def _arrow(
    axes: Axes, world: GridWorld, state: int, target: int, colour: str, dashed: bool = False
) -> None:
    x, y = world.cell(state)
    u, v = world.cell(target)
    scale = 6 / world.settings.size
    if state == target:
        axes.plot(x + 0.5, y + 0.5, marker="o", mfc="none", color=colour, ms=7 * scale, zorder=4)
        return
    patch = FancyArrowPatch(
        (x + 0.5, y + 0.5),
        (u + 0.5, v + 0.5),
        arrowstyle="-|>",
        mutation_scale=9 * max(scale, 0.5),
        color=colour,
        lw=1.0 if dashed else 1.5 * max(scale, 0.6),
        ls=(0, (4, 2)) if dashed else "-",
        alpha=0.75 if dashed else 1.0,
        shrinkA=0,
        shrinkB=2,
        connectionstyle="arc3,rad=0.15" if dashed else "arc3",
        zorder=4,
    )
    axes.add_patch(patch)

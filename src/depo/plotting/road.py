"""The road from above: vehicles, the ego, what it plans and where it has been."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from depo.analysis.drives import recorded_path
from depo.driving.environment import DrivingEnvironment, Ego
from depo.driving.rectangles import Rectangle
from depo.driving.scene import NOBODY, rectangle
from depo.driving.traffic.road import Road
from depo.plotting.words import literal

EGO, OTHER, PLAN, PATH, RECORDED = "#c62828", "#5c7fa8", "#e69f00", "#c62828", "#2e7d32"
ASPHALT, GROUND = "#e8e8e8", "#f7f7f2"


class View(NamedTuple):
    """One frame: the ego, where it has been (n, 2), what it plans (m, 2), and a title."""

    ego: Ego
    path: np.ndarray
    plan: np.ndarray | None = None
    title: str = ""


def draw_scene(axes: Axes, environment: DrivingEnvironment, view: View) -> None:
    """Everybody's rectangle, the ego red, with its path and plan.

    The recorded drive of the vehicle whose place is taken is green; it goes on beyond the frame.
    """
    ego, path, plan, title = view
    scene = environment.scene
    draw_road(axes, scene.road)
    frame = min(int(ego.frame[0]), scene.frames - 1)
    vehicle = int(ego.vehicle[0])
    axes.plot(*recorded_path(scene, vehicle).T, color=RECORDED, lw=1, ls=":", zorder=2)
    there = (np.asarray(scene.who[frame]) != NOBODY) & (np.asarray(scene.who[frame]) != vehicle)
    _, x, y, dx, dy, half_length, half_width, _ = np.asarray(scene.others[frame])[:, there]
    others = Rectangle(x, y, dx, dy, half_length, half_width)
    body, glass = list(corners(others)), list(windscreens(others))
    axes.add_collection(PolyCollection(body, facecolor=OTHER, edgecolor="white", lw=0.5))
    axes.add_collection(PolyCollection(glass, facecolor="#d5e0ee", lw=0))
    own = rectangle(ego.pose, *environment.size(ego.vehicle))
    body, glass = list(corners(own)), list(windscreens(own))
    axes.add_collection(PolyCollection(body, facecolor=EGO, edgecolor="black", lw=0.8, zorder=5))
    axes.add_collection(PolyCollection(glass, facecolor="#ffd9d9", lw=0, zorder=5))
    if len(path) > 1:
        axes.plot(*path.T, color=PATH, lw=1.6, zorder=4)
    if plan is not None and len(plan):
        axes.plot(*plan.T, color=PLAN, lw=2, zorder=6, marker=".", ms=3)
    axes.set_title(literal(title), fontsize=9, loc="left")


def draw_road(axes: Axes, road: Road) -> None:
    """Lanes, the ramp's taper and the ends of the zone; lane 0 on top, as a driver's left is."""
    xs = np.linspace(0.0, road.length, 200)
    right = np.maximum(road.right_limit(xs), road.right_edge)
    axes.set_facecolor(GROUND)
    axes.fill_between(xs, road.lateral_origin, right, color=ASPHALT, lw=0, zorder=0)
    axes.plot(xs, right, color="#8a8a8a", lw=1, zorder=1)
    axes.axhline(road.lateral_origin, color="#8a8a8a", lw=1, zorder=1)
    for lane in range(1, road.lanes + (road.ramp is not None)):
        y = road.lateral_origin + lane * road.lane_width
        axes.axhline(y, color="white", lw=1, ls=(0, (8, 8)), zorder=1)
    for end in road.zone:
        axes.axvline(end, color="#444444", lw=0.8, ls="--", zorder=1)
    margin = road.lane_width / 2
    lowest = max(road.right_edge, float(right[0]))
    axes.set(
        xlim=(0, road.length),
        ylim=(lowest + margin, road.lateral_origin - margin),
        aspect="equal",
    )
    axes.set_xlabel("m along the road, driven from left to right", fontsize=8)
    axes.set_ylabel("m to the right", fontsize=8)
    axes.tick_params(labelsize=7)


def corners(body: Rectangle) -> np.ndarray:
    """(n, 4, 2): the corners of rectangles."""
    x, y, dx, dy, half_length, half_width = (np.asarray(column) for column in body)
    centre = np.stack([x, y], axis=-1)
    along = np.stack([dx, dy], axis=-1) * half_length[:, None]
    across = np.stack([-dy, dx], axis=-1) * half_width[:, None]
    front, back = centre + along, centre - along
    return np.stack([front + across, front - across, back - across, back + across], axis=1)


def windscreens(body: Rectangle) -> np.ndarray:
    """(n, 4, 2): a strip behind each front, which tells where a vehicle looks."""
    x, y, dx, dy, half_length, half_width = (np.asarray(column) for column in body)
    back = np.maximum(half_length - 1.2, 0.3 * half_length)
    strip = (x + back * dx, y + back * dy, dx, dy, 0.3 + 0 * x, 0.8 * half_width)
    return corners(Rectangle(*strip))  # type: ignore[arg-type]


def scene_figure(environment: DrivingEnvironment, view: View) -> Figure:
    """A picture of one frame with a legend."""
    road = environment.scene.road
    across = max(road.right_edge, float(road.right_limit(0.0))) - road.lateral_origin
    height = 1.25 + 13.3 * (across + road.lane_width) / road.length
    figure = Figure(figsize=(14, height), layout="constrained")
    draw_scene(figure.subplots(), environment, view)
    figure.legend(
        handles=legend_handles(view.plan is not None),
        loc="outside lower center",
        ncols=6,
        fontsize=8,
    )
    return figure


def legend_handles(with_plan: bool) -> list[Patch | Line2D]:
    """What the colours mean."""
    handles: list[Patch | Line2D] = [
        Patch(facecolor=EGO, edgecolor="black", label="ego"),
        Patch(facecolor=OTHER, label="recorded vehicles"),
        Line2D([], [], color=PATH, lw=1.6, label="path driven"),
        Line2D([], [], color=RECORDED, ls=":", label="path of the recorded driver"),
        Line2D([], [], color="#444444", lw=0.8, ls="--", label="ends of the zone"),
    ]
    if with_plan:
        handles.insert(3, Line2D([], [], color=PLAN, lw=2, marker=".", ms=3, label="planned"))
    return handles


def picture(environment: DrivingEnvironment, view: View) -> np.ndarray:
    """One frame as an array (height, width, 3)."""
    figure = scene_figure(environment, view)
    figure.set_dpi(100)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()  # type: ignore[no-untyped-call]

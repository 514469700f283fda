"""Drives of a run's policy as plain data, for a canvas: the road, everybody on it, the plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from depo.analysis.drives import Moment, moments, recorded_path
from depo.analysis.evaluate import load_policies
from depo.core.errors import DepoError
from depo.driving.drivers import Driver, PolicyDriver
from depo.driving.environment import DrivingEnvironment
from depo.driving.opening import open_environment
from depo.driving.scene import NOBODY
from depo.driving.settings import DrivingSettings
from depo.driving.traffic.road import Road
from depo.models.policy import DecoupledPolicy
from depo.runs.run import Run

DRIVES = 3
"""From the first test vehicle to the last, evenly, whatever became of them."""
EVERY = 2
"""Steps from one picture to the next."""
AHEAD = 30
"""Steps that a plan is imagined for."""
SEEN = 145.0
"""Metres around the ego in which others are drawn."""


def drives_of(run: Run) -> list[dict[str, Any]]:
    """What the first seed's policy does in the places of a few test vehicles."""
    settings = run.job.first_environment.settings
    if not isinstance(settings, DrivingSettings):
        raise DepoError(f"{run.path} is on {run.job.environment.label}, not on driving")
    run.check_imports()
    policy = load_policies(run)[0]
    environment = open_environment(replace(settings, part="test"))
    chosen = np.linspace(0, len(environment.choice) - 1, DRIVES).round().astype(int)
    vehicles = np.asarray(environment.choice)[np.unique(chosen)]
    ahead = AHEAD if isinstance(policy, DecoupledPolicy) else 0
    return [drive_of(environment, PolicyDriver(policy), int(one), ahead) for one in vehicles]


def drive_of(
    environment: DrivingEnvironment, driver: Driver, vehicle: int, ahead: int = AHEAD
) -> dict[str, Any]:
    """One drive; x and y in metres, headings in radians."""
    every = list(moments(environment, driver, vehicle, ahead, EVERY))
    shown = every[::EVERY]
    if shown[-1] is not every[-1]:
        shown.append(every[-1])
    scene, last = environment.scene, every[-1]
    length, width = (float(size) for size in environment.size(last.ego.vehicle[0]))
    seconds = scene.time_step * int(last.ego.elapsed[0])
    return {
        "title": f"vehicle {vehicle}: {last.ending.replace('_', ' ')} after {seconds:.1f} s",
        "seconds": [round(scene.time_step * int(one.ego.elapsed[0]), 2) for one in shown],
        "speeds": [round(float(one.ego.pose.speed[0]), 1) for one in shown],
        "road": _road(scene.road),
        "size": [round(length, 2), round(width, 2)],
        "ego": [_pose(one) for one in shown],
        "plans": [[] if one.plan is None else one.plan[::3].round(1).tolist() for one in shown],
        "recorded": recorded_path(scene, vehicle)[::3].round(1).tolist(),
        "others": [_others(environment, one, vehicle) for one in shown],
    }


def _pose(moment: Moment) -> list[float]:
    """x and y of the rear, and the heading."""
    pose = moment.ego.pose
    heading = float(np.arctan2(pose.dy[0], pose.dx[0]))
    return [round(float(pose.x[0]), 2), round(float(pose.y[0]), 2), round(heading, 3)]


def _others(environment: DrivingEnvironment, moment: Moment, vehicle: int) -> list[Sequence[float]]:
    """Centre, length, width and heading of everybody near, in the same order in every picture."""
    scene = environment.scene
    frame = min(int(moment.ego.frame[0]), scene.frames - 1)
    who = np.asarray(scene.who[frame])
    _, x, y, dx, dy, half_length, half_width, _ = np.asarray(scene.others[frame])
    near = (who != NOBODY) & (who != vehicle) & (np.abs(x - float(moment.ego.pose.x[0])) < SEEN)
    columns = [x, y, 2 * half_length, 2 * half_width, np.arctan2(dy, dx)]
    rows = np.stack(columns, axis=1)[near].astype(float)
    return [[round(value, 1 + (i > 3)) for i, value in enumerate(row)] for row in rows]


def _road(road: Road) -> dict[str, Any]:
    """Edges, lines between lanes, and the zone that is driven in."""
    xs = np.linspace(0.0, road.length, 40)
    right = np.maximum(road.right_limit(xs), road.right_edge)
    lines = range(1, road.lanes + (road.ramp is not None))
    return {
        "left": road.lateral_origin,
        "right": np.stack([xs, right], axis=1).round(2).tolist(),
        "lines": [road.lateral_origin + lane * road.lane_width for lane in lines],
        "zone": list(road.zone),
        "length": road.length,
    }

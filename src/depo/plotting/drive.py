"""A drive as a picture or a film."""

from __future__ import annotations

import math
from io import BytesIO
from pathlib import Path

from depo.analysis.drives import Moment, moments
from depo.analysis.video import write_film
from depo.core.errors import DepoError, unknown
from depo.core.files import write_bytes
from depo.driving.drivers import Driver
from depo.driving.environment import DrivingEnvironment
from depo.plotting.road import View, picture, scene_figure

FORMATS = (".png", ".gif", ".mp4")


def view(moment: Moment, driver: str, time_step: float) -> View:
    """The moment to draw; its title says who drives, in whose place, how long, how fast."""
    ego, path, plan, ending = moment
    number, seconds = int(ego.vehicle[0]), time_step * int(ego.elapsed[0])
    speed = float(ego.pose.speed[0])
    ended = f", {ending.replace('_', ' ')}" if ending else ""
    who = f"{driver} in the place of vehicle {number}"
    return View(ego, path, plan, f"{who}, {seconds:.1f} s, {speed:.1f} m/s{ended}")


def render(
    environment: DrivingEnvironment,
    driver: Driver,
    vehicle: int,
    path: Path,
    *,
    name: str,
    seconds: float = 0.0,
    ahead: int = 30,
) -> tuple[Path, str]:
    """Write a drive; returns the file and how the drive ended.

    A picture shows the moment after ``seconds`` (0: the middle), a film all of it up to then.
    """
    if path.suffix not in FORMATS:
        raise unknown("picture format", path.suffix, FORMATS)
    if not 0 <= seconds < math.inf:
        raise DepoError(f"seconds {seconds} is not a number of at least 0")
    every = list(moments(environment, driver, vehicle, ahead))
    dt = environment.scene.time_step
    last = min(round(seconds / dt), len(every) - 1) if seconds else len(every) - 1
    if path.suffix == ".png":
        moment = every[last if seconds else last // 2]
        figure = scene_figure(environment, view(moment, name, dt))
        buffer = BytesIO()
        figure.savefig(buffer, format="png", dpi=130)
        write_bytes(path, buffer.getvalue())
        return path, every[-1].ending
    frames = [picture(environment, view(m, name, dt)) for m in every[: last + 1 : 2]]
    shape = [size // 2 * 2 for size in frames[0].shape[:2]]
    frames = [frame[: shape[0], : shape[1]] for frame in frames]
    return write_film(path, frames, 0.5 / dt), every[-1].ending

"""A drive as a picture or a film."""

from __future__ import annotations

import math
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from depo.analysis.video import write_film
from depo.core.errors import DepoError, unknown
from depo.core.files import write_bytes
from depo.driving.drivers import Driver
from depo.driving.environment import DrivingEnvironment, Ego
from depo.driving.gymnasium_environments import drive
from depo.driving.imagination import imagine
from depo.plotting.road import View, picture, scene_figure

FORMATS = (".png", ".gif", ".mp4")


class Moment(NamedTuple):
    """One step of a drive: where the ego is, where it has been, what it plans, how it ended."""

    ego: Ego
    path: np.ndarray
    plan: np.ndarray | None
    ending: str

    def view(self, driver: str, time_step: float) -> View:
        """The moment to draw; its title says who drives, in whose place, how long, how fast."""
        number, seconds = int(self.ego.vehicle[0]), time_step * int(self.ego.elapsed[0])
        speed = float(self.ego.pose.speed[0])
        ending = f", {self.ending.replace('_', ' ')}" if self.ending else ""
        who = f"{driver} in the place of vehicle {number}"
        title = f"{who}, {seconds:.1f} s, {speed:.1f} m/s{ending}"
        return View(self.ego, self.path, self.plan, title)


def moments(
    environment: DrivingEnvironment, driver: Driver, vehicle: int, ahead: int = 30
) -> Iterator[Moment]:
    """A drive step by step, to its end; ``ahead`` steps of the plan are imagined (0: none)."""
    ego = environment.begin_one(vehicle)
    state, path, ending = environment.start_state[jnp.array([vehicle])], [], ""
    while True:
        path.append([float(ego.pose.x[0]), float(ego.pose.y[0])])
        plan = None
        if ahead and not ending:
            plan = np.asarray(imagine(environment, driver, ego, ahead))[:, 0, :2]
        yield Moment(ego, np.array(path), plan, ending)
        if ending:
            return
        ego, state, outcome = drive(environment, ego, _decide(environment, driver, ego, state))
        ending = next((name for name, flag in outcome._asdict().items() if bool(flag[0])), "")


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
        figure = scene_figure(environment, moment.view(name, dt))
        buffer = BytesIO()
        figure.savefig(buffer, format="png", dpi=130)
        write_bytes(path, buffer.getvalue())
        return path, every[-1].ending
    frames = [picture(environment, m.view(name, dt)) for m in every[: last + 1 : 2]]
    shape = [size // 2 * 2 for size in frames[0].shape[:2]]
    frames = [frame[: shape[0], : shape[1]] for frame in frames]
    return write_film(path, frames, 0.5 / dt), every[-1].ending


@eqx.filter_jit
def _decide(environment: DrivingEnvironment, driver: Driver, ego: Ego, state: Array) -> Array:
    return driver.decide(environment, ego, state).action

"""A drive step by step: where the ego is, what it plans, how it ends; and who drives in a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from depo.driving.drivers import Driver
from depo.driving.environment import DrivingEnvironment, Ego
from depo.driving.gymnasium_environments import drive
from depo.driving.imagination import imagine
from depo.driving.scene import Scene


class Moment(NamedTuple):
    """One step of a drive: where the ego is, where it has been, what it plans, how it ended."""

    ego: Ego
    path: np.ndarray
    plan: np.ndarray | None
    ending: str


def moments(
    environment: DrivingEnvironment, driver: Driver, vehicle: int, ahead: int = 30, every: int = 1
) -> Iterator[Moment]:
    """A drive step by step, to its end; ``ahead`` steps of the plan are imagined (0: none), at one
    step in ``every``."""
    ego = environment.begin_one(vehicle)
    state, ending = environment.start_state[jnp.array([vehicle])], ""
    path: list[list[float]] = []
    while True:
        plan = None
        if ahead and not ending and len(path) % every == 0:
            plan = np.asarray(imagine(environment, driver, ego, ahead))[:, 0, :2]
        path.append([float(ego.pose.x[0]), float(ego.pose.y[0])])
        yield Moment(ego, np.array(path), plan, ending)
        if ending:
            return
        ego, state, outcome = drive(environment, ego, _decide(environment, driver, ego, state))
        ending = next((name for name, flag in outcome._asdict().items() if bool(flag[0])), "")


def recorded_path(scene: Scene, vehicle: int) -> np.ndarray:
    """(n, 2): where the vehicle whose place is taken was recorded."""
    last = int(scene.last_row[vehicle])
    first = int(scene.row_of_frame_0[vehicle] + scene.start_frame[vehicle])
    return np.stack([np.asarray(c[first : last + 1]) for c in (scene.pose.x, scene.pose.y)], axis=1)


@eqx.filter_jit
def _decide(environment: DrivingEnvironment, driver: Driver, ego: Ego, state: Array) -> Array:
    return driver.decide(environment, ego, state).action

"""Imagined drives: a planner's plans one after the other, beside the path its policy drives."""

from __future__ import annotations

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from depo.environments.driving.drivers import Driver, PolicyDriver
from depo.environments.driving.environment import DrivingEnvironment, Ego
from depo.environments.driving.imagination import imagine
from depo.environments.driving.opening import open_environment
from depo.environments.driving.settings import DrivingSettings
from depo.environments.host import HostEnvironment
from depo.errors import DepoError
from depo.evaluation.driving import play
from depo.evaluation.imagine import Imagination, Source, from_step


@dataclass(frozen=True, eq=False)
class ImaginedDrives(Imagination):
    """(x, y, vx, vy) of egos that get what they plan, and of those that are really driven.

    A planner of velocities cannot go on from its plans alone: the others move as recorded.
    """

    environment: DrivingEnvironment
    ego: Ego
    """Where imagining begins."""

    @property
    def unit(self) -> str:
        """What errors are measured in."""
        return "m"

    def _distance(self, states: np.ndarray) -> np.ndarray:
        return np.linalg.norm(states[..., :2] - self.real[..., :2], axis=-1)


def imagine_drives(source: Source, after: int, steps: int, starts: int) -> ImaginedDrives:
    """In the places of test vehicles, ``after`` steps of the policy and then the plans alone."""
    if source.policy is None:
        raise DepoError(f"{source.folder} is a planner without a policy: pass the run it is from")
    assert isinstance(source.world, HostEnvironment)
    environment = open_environment(DrivingSettings(**{**source.world.arguments, "part": "test"}))
    spread = np.linspace(0, len(environment.choice) - 1, min(starts, len(environment.choice)))
    vehicles = np.asarray(environment.choice)[spread.round().astype(int)]
    driver = PolicyDriver(source.policy)
    drives = play(environment, driver, vehicles.tolist())
    paths = [drives.path(i)[:, :4] for i in range(len(vehicles))]
    chosen, real, alive = from_step(paths, after, steps)
    ego = _driven(environment, driver, jnp.asarray(vehicles[chosen], jnp.int32), after)
    imagined = np.concatenate([real[:1], np.asarray(imagine(environment, driver, ego, steps))])
    return ImaginedDrives(source, imagined, real, alive, after, "policy", environment, ego)


@eqx.filter_jit
def _driven(
    environment: DrivingEnvironment, driver: Driver, vehicles: Int[Array, " copies"], steps: int
) -> Ego:
    """Egos after so many steps; none of their episodes may end before."""
    ego = environment.begin(vehicles, jnp.zeros((len(vehicles), 2), jnp.uint32))

    def step(now: Ego, _: None) -> tuple[Ego, None]:
        action = driver.decide(environment, now, environment.observe(now)).action
        return environment.drive(now, action)[0], None

    return jax.lax.scan(step, ego, length=steps)[0]

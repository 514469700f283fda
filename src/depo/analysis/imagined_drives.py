"""Imagined drives: a planner's plans one after the other, beside the path its policy drives."""

from __future__ import annotations

from dataclasses import dataclass, replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from depo.analysis.imagination import Imagination, Imaginer, Source, from_step
from depo.core.errors import DepoError
from depo.data.demonstrations import Demonstrations
from depo.driving.drivers import Driver, PolicyDriver
from depo.driving.environment import DrivingEnvironment, Ego
from depo.driving.imagination import imagine
from depo.driving.opening import open_environment
from depo.driving.scores import play


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


class DriveImaginer(Imaginer):
    """In the places of test vehicles: the policy for a while, and then the plans alone."""

    def check(self, source: Source) -> None:
        """Only a policy drives."""
        if source.policy is None:
            raise DepoError(
                f"{source.folder} is a planner without a policy: pass the run it is from"
            )

    def __call__(
        self, source: Source, demos: Demonstrations | None, after: int, steps: int, starts: int
    ) -> ImaginedDrives:
        """Egos that get what they plan, beside the same ones driven."""
        if demos is not None:
            raise DepoError("in traffic the recorded drivers are drawn anyway: leave --demos out")
        assert source.policy is not None
        environment = open_environment(replace(source.environment.settings, part="test"))
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
    """Egos after that number of steps; none of their episodes may end before."""
    ego = environment.begin(vehicles, jnp.zeros((len(vehicles), 2), jnp.uint32))

    def step(now: Ego, _: None) -> tuple[Ego, None]:
        action = driver.decide(environment, now, environment.observe(now)).action
        return environment.drive(now, action)[0], None

    return jax.lax.scan(step, ego, length=steps)[0]

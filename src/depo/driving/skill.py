"""The driving skill as a formula: the exact inverse of the kinematics, for every vehicle."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from jaxtyping import Array, Float

from depo.driving.kinematics import controls
from depo.driving.vehicles import Vehicle, find_vehicle
from depo.models.skill import AnalyticSkill

Plans = Literal["velocity", "position-and-velocity"]

PLANNED: dict[Plans, tuple[int, ...]] = {
    "velocity": (2, 3),
    "position-and-velocity": (0, 1, 2, 3),
}
"""The features of a state that a planner predicts: the ego's own."""


def planned_velocity(
    plan: Float[Array, "*batch predicts"],
) -> tuple[Float[Array, "*batch"], Float[Array, "*batch"]]:
    """(vx, vy) of the ego in a plan, be it of the velocity alone or of more of the state."""
    first = 0 if plan.shape[-1] == 2 else 2
    return plan[..., first], plan[..., first + 1]


@dataclass(frozen=True)
class Inverse:
    """(s, s') → a. Of a target it needs the velocity only: the position one step ahead is
    determined by the state, whatever the action."""

    vehicle: Vehicle
    time_step: float

    def __call__(
        self, state: Float[Array, "*batch sees"], target: Float[Array, "*batch predicts"]
    ) -> Float[Array, "*batch 2"]:
        """The action in [−1,1]²."""
        now, then = (state[..., 2], state[..., 3]), planned_velocity(target)
        return self.vehicle.encode(*controls(now, then, self.vehicle.curvature, self.time_step))

    def at(self, time_step: float) -> Inverse:
        """The same for a recording with steps of ``time_step`` seconds."""
        return replace(self, time_step=time_step)


def driving_skill(
    vehicle: str = "normal", plans: Plans = "velocity", time_step: float = 0.1
) -> AnalyticSkill:
    """The skill of a vehicle; nothing is learned.

    >>> import jax.numpy as jnp
    >>> state = jnp.zeros(28).at[2].set(10.0)
    >>> turn, forward = driving_skill("transpose").mode(state, jnp.array([10.5, 0.0])).tolist()
    >>> turn, round(forward, 3)
    (0.0, 0.811)
    """
    return AnalyticSkill(Inverse(find_vehicle(vehicle), time_step), PLANNED[plans])


normal = driving_skill("normal")
inverse = driving_skill("inverse")
transpose = driving_skill("transpose")
truck = driving_skill("truck")

"""The driving skill as a formula: the exact inverse of the kinematics, for every vehicle."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import jax.numpy as jnp
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


LOOKAHEAD = 0.5
"""s: the time in which a controller closes the gap to the velocity that was decided on."""


@dataclass(frozen=True)
class Controllers:
    """(s, decision) → a by two controllers made by hand: one for the speed, one for the heading.

    A decision is a velocity to have after :data:`LOOKAHEAD` seconds. Each controller asks for an
    equal share of what is missing in every step, e/n for an error e and n steps, within the limits
    of the vehicle; steps have no drag and no slope, so no error stays that an integral would find.
    """

    inverse: Inverse

    def __call__(
        self, state: Float[Array, "*batch sees"], target: Float[Array, "*batch predicts"]
    ) -> Float[Array, "*batch 2"]:
        """The action in [−1,1]²."""
        own = state[..., 2:4]
        share = min(1.0, self.inverse.time_step / LOOKAHEAD)
        return self.inverse(state, own + share * (jnp.stack(planned_velocity(target), -1) - own))

    def at(self, time_step: float) -> Controllers:
        """The same for a recording with steps of ``time_step`` seconds."""
        return Controllers(self.inverse.at(time_step))


def driving_controllers(vehicle: str = "normal", time_step: float = 0.1) -> AnalyticSkill:
    """The controllers of a vehicle; nothing is learned.

    >>> state = jnp.zeros(28).at[2].set(10.0)
    >>> forward, turn = driving_controllers().mode(state, jnp.array([11.0, 0.0])).tolist()
    >>> round(forward, 3), turn
    (0.324, 0.0)
    """
    own = Controllers(Inverse(find_vehicle(vehicle), time_step))
    return AnalyticSkill(own, PLANNED["velocity"])


def driving_skill(
    vehicle: str = "normal", plans: Plans = "velocity", time_step: float = 0.1
) -> AnalyticSkill:
    """The skill of a vehicle; nothing is learned.

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

pid_normal = driving_controllers("normal")
pid_inverse = driving_controllers("inverse")
pid_transpose = driving_controllers("transpose")
pid_truck = driving_controllers("truck")

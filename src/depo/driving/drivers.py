"""Who drives: a policy, somebody who never changes speed, or the recorded expert."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.driving.environment import DrivingEnvironment, Ego
from depo.driving.motion import towards
from depo.driving.skill import PLANNED, Inverse
from depo.models.policy import Decision, PolicyModel


@runtime_checkable
class Driver(Protocol):
    """Decides for many egos at once; may know more than the state shows."""

    def decide(
        self, environment: DrivingEnvironment, ego: Ego, state: Float[Array, "copies 28"]
    ) -> Decision:
        """Actions, and the plans they follow."""


class PolicyDriver(eqx.Module):
    """A policy without its randomness."""

    policy: PolicyModel

    def decide(
        self, environment: DrivingEnvironment, ego: Ego, state: Float[Array, "copies 28"]
    ) -> Decision:
        """The policy's mode."""
        return self.policy.mode(state)


class ConstantVelocity(eqx.Module):
    """Drives on as it came: what traffic must be too hard for."""

    def decide(
        self, environment: DrivingEnvironment, ego: Ego, state: Float[Array, "copies 28"]
    ) -> Decision:
        """Towards the present velocity."""
        plan = state[:, PLANNED["velocity"]]
        return Decision(_inverse(environment)(state, plan), plan)


class ExpertReplay(eqx.Module):
    """Follows the recording of the vehicle whose place was taken."""

    def decide(
        self, environment: DrivingEnvironment, ego: Ego, state: Float[Array, "copies 28"]
    ) -> Decision:
        """Towards the recorded velocity, and back to the recorded track where limits held it."""
        scene = environment.scene
        track = scene.recorded(ego.vehicle, ego.frame + 1)
        aim = towards(ego.pose, (track.x, track.y, *track.velocity()), scene.time_step)
        plan = jnp.stack(aim, axis=-1)
        return Decision(_inverse(environment)(state, plan), plan)


def _inverse(environment: DrivingEnvironment) -> Inverse:
    return Inverse(environment.body, environment.scene.time_step)

"""Driving as two pure functions of one ego, for the compiler."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Key

from depo.driving.environment import DrivingEnvironment, Ego
from depo.environments.jax_environment import TRUNCATED

FLAGS = ("arrived", "collided", "off_road")
"""What a step's information tells beside."""


class OneEgo(eqx.Module):
    """A :class:`~depo.environments.jax_environment.JaxEnvironment` around the simulator."""

    environment: DrivingEnvironment

    @property
    def actions(self) -> int:
        """Acceleration and steering."""
        return 2

    def reset(self, key: Key[Array, ""]) -> tuple[Float[Array, " 28"], Ego]:
        """In the place of a vehicle drawn from the part."""
        vehicle = self.environment.draw(key)
        ego = self.environment.begin(vehicle, jax.random.key_data(key))
        return self.environment.start_state[vehicle], ego

    def step(
        self, state: Ego, action: Float[Array, " 2"], key: Key[Array, ""]
    ) -> tuple[Float[Array, " 28"], Ego, Float[Array, ""], Bool[Array, ""], dict[str, Any]]:
        """Move; nothing is random in a step."""
        del key
        moved, reached, outcome = self.environment.drive_one(state, action)
        terminated, truncated = self.environment.ends(outcome)
        reward = outcome.arrived.astype(jnp.float32)
        about = {name: getattr(outcome, name) for name in FLAGS}
        return reached, moved, reward, terminated | truncated, {TRUNCATED: truncated, **about}

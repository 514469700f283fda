"""Poses of egos that drive alone."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import depo  # noqa: F401  (registers the environment)
from depo.driving.kinematics import Pose


def poses(speed, angle) -> Pose:
    """Poses at speeds (m/s) and headings (rad), all in one place."""
    speed, angle = np.asarray(speed), np.asarray(angle)
    values = (np.full(len(speed), 50.0), np.full(len(speed), 10.0), speed, np.cos(angle))
    return Pose(*(jnp.asarray(v, jnp.float32) for v in (*values, np.sin(angle))))


def alone(pose: Pose) -> jnp.ndarray:
    """The states of egos with nobody around."""
    return jnp.tile(jnp.stack([pose.x, pose.y, *pose.velocity()], axis=-1), 7)


def keys(count: int) -> jnp.ndarray:
    """Data of random keys, one for each ego."""
    return jax.random.key_data(jax.random.split(jax.random.key(0), count))

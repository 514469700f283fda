"""Environments of pure functions, written as users of gymnax write them: s' = s + a/10."""

from __future__ import annotations

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from depo.data.demonstrations import Demonstrations

STEP = 0.1


class Box(NamedTuple):
    """A space as gymnax has it."""

    low: float
    high: float
    shape: tuple[int, ...]


class Params(NamedTuple):
    max_steps_in_episode: int = 12
    edge: float = 1.5


class PointState(NamedTuple):
    place: jax.Array
    time: int


class Point:
    """A point in the plane, beyond whose edge an episode ends; restarts by itself in ``step``."""

    default_params = Params()

    def __init__(self, wind: float = 0.0):
        self.wind = wind

    def action_space(self, params):
        return Box(-2.0, 2.0, (2,))

    def reset_env(self, key, params):
        place = jax.random.uniform(key, (2,), minval=-1.0, maxval=1.0)
        return place, PointState(place, 0)

    def step_env(self, key, state, action, params):
        gust = self.wind * jax.random.normal(key, (2,))
        place = state.place + STEP * action / 2.0 + gust
        time = state.time + 1
        far = jnp.abs(place).max() > params.edge
        done = far | (time >= params.max_steps_in_episode)
        return place, PointState(place, time), -jnp.abs(place[1]), done, {"discount": 1.0}

    def reset(self, key, params=None):
        return self.reset_env(key, params or self.default_params)

    def step(self, key, state, action, params=None):
        raise AssertionError("gymnax restarts here: the last observation would be lost")


class Plain(eqx.Module):
    """The least there is: no parameters, sizes instead of spaces, an array of its own."""

    start: jax.Array
    action_size: int = 2

    def reset(self, key):
        place = self.start + jax.random.uniform(key, (2,))
        return place, place

    def step(self, key, state, action):
        place = state + STEP * action
        return place, place, 0.0, jnp.abs(place).max() > 2.0, {}


def straight() -> Demonstrations:
    """An expert that walks right, half a step each time."""
    generator = np.random.default_rng(0)
    return Demonstrations.from_episodes(
        [
            generator.uniform(-1, 0, 2) + np.arange(13)[:, None] * np.array([STEP / 2, 0.0])
            for _ in range(5)
        ]
    )

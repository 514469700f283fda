"""A plane with an edge: the point of the other tests, in episodes that really end."""

from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.environments.point import Point

EDGE = 1.5


class Edge(Point):
    """Terminates where a point leaves the square, so that ends are part of what is learned."""

    def step(self, action):
        state, reward, _, cut, about = super().step(action)
        return state, reward, bool(np.abs(self.state).max() > EDGE), cut, about


gym.register("depo-test/Edge-v0", entry_point=Edge, max_episode_steps=20)
ID = f"{__name__}:depo-test/Edge-v0"

"""Places on a line and three steps to choose from: all that can be learned there is known."""

from __future__ import annotations

from pathlib import Path

import gymnasium as gym
import numpy as np

from depo.data import Demonstrations

STEP = 0.1
LEFT, STAY, RIGHT = 0, 1, 2


class Line(gym.Env):
    """s' = s + (a − 1)/10; being away from 0 costs. ``first`` is the number of the first action."""

    def __init__(self, first: int = 0, render_mode: str | None = None):
        self.render_mode, self.first = render_mode, first
        self.observation_space = gym.spaces.Box(-20, 20, (1,), np.float32)
        self.action_space = gym.spaces.Discrete(3, start=first)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = float(self.np_random.uniform(-1, 1))
        return np.array([self.place], np.float32), {}

    def step(self, action):
        assert self.action_space.contains(action)
        self.place += STEP * (int(action) - self.first - STAY)
        return np.array([self.place], np.float32), -abs(self.place), False, False, {}


gym.register("depo-test/Line-v0", entry_point=Line, max_episode_steps=20)
ID = f"{__name__}:depo-test/Line-v0"


def walks(path: Path, episodes: int = 6) -> Path:
    """An expert that goes right for ever; its actions are recorded, too."""
    starts = np.random.default_rng(0).uniform(-1, 1, (episodes, 1))
    steps = STEP * np.arange(21)
    states = np.concatenate([(s + steps)[:, None] for s in starts])
    lengths, actions = np.full(episodes, 21), np.full(21 * episodes, RIGHT)
    return Demonstrations(states, lengths, actions=actions).save(path)

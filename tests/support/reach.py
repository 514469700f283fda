"""A point that must reach a goal drawn at reset, with observations of several parts."""

from __future__ import annotations

import gymnasium as gym
import numpy as np

from depo.data.demonstrations import Demonstrations
from depo.environments.flattening import Flattening

STEP = 0.1
NEAR = 0.15


class Reach(gym.Env):
    """s' = s + a/10 towards a goal; reward and success near it. ``redraws``: then comes another."""

    def __init__(self, redraws: bool = False):
        self.redraws = redraws
        box = gym.spaces.Box(-2, 2, (2,), np.float64)
        parts = ("observation", "achieved_goal", "desired_goal")
        self.observation_space = gym.spaces.Dict(dict.fromkeys(parts, box))
        self.action_space = gym.spaces.Box(-1, 1, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.goal = self.np_random.uniform(-1, 1, (2, 2))
        return self._seen(), {"success": False}

    def step(self, action):
        self.place = np.clip(self.place + STEP * np.asarray(action, np.float64), -2, 2)
        near = bool(np.linalg.norm(self.place - self.goal) < NEAR)
        if near and self.redraws:
            self.goal = self.np_random.uniform(-1, 1, 2)
        return self._seen(), float(near), False, False, {"success": near}

    def _seen(self):
        place, goal = self.place.copy(), self.goal.copy()
        return {"observation": place, "achieved_goal": place, "desired_goal": goal}


def make_reach(steps: int = 30, redraws: bool = False) -> gym.Env:
    """A factory, as ``--env tests.support.reach:make_reach`` names it."""
    return gym.wrappers.TimeLimit(Reach(redraws), steps)


def make_nothing() -> None:
    """A factory that makes no environment."""


def make_silence() -> None:
    """A factory that fails without a word."""
    raise AssertionError


class Pictures(gym.Env):
    """Shows where it is as a picture."""

    observation_space = gym.spaces.Box(0, 255, (4, 4, 3), np.uint8)
    action_space = gym.spaces.Box(-1, 1, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.full((4, 4, 3), 51, np.uint8), {}

    def step(self, action):
        return np.full((4, 4, 3), 102, np.uint8), 0.0, False, False, {}


def brightness(picture):
    """A function that observes: a picture's mean colours."""
    return np.asarray(picture, np.float32).mean((0, 1)) / 255


brightness.feature_names = ("red", "green", "blue")  # type: ignore[attr-defined]


def uneven(picture):
    """A function whose vectors have no one length."""
    return np.zeros(2 if np.asarray(picture).flat[0] == 51 else 3)


def a_matrix(picture):
    """A function that gives no vector."""
    return np.zeros((2, 2))


def walks(episodes: int = 4, redraws: bool = False) -> Demonstrations:
    """Somebody goes straight to the goal."""
    env = make_reach(20, redraws)
    flat, shown = Flattening.of(env.observation_space), []
    for seed in range(episodes):
        seen, _ = env.reset(seed=seed)
        states, ended = [flat.vector(seen)], False
        while not ended:
            action = (seen["desired_goal"] - seen["observation"]) / STEP
            seen, _, _, ended, _ = env.step(np.clip(action, -0.5, 0.5))
            states.append(flat.vector(seen))
        shown.append(np.array(states, np.float32))
    return Demonstrations.from_episodes(shown, feature_names=flat.names)

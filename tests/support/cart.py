"""A cart in the plane at 20 Hz, whose recordings can be made exactly, and wrong on purpose."""

from __future__ import annotations

from functools import cache

import gymnasium as gym
import numpy as np

from depo.analysis.recordings.exploration import Explored, explore
from depo.data import Demonstrations
from depo.environments.gymnasium_environment import GymnasiumEnvironment

STEP, LIMIT = 0.05, 200
NAMES = ("x", "y", "vx", "vy")


def moved(state: np.ndarray, action: np.ndarray, seconds: float = STEP) -> np.ndarray:
    """Pushed by the action, held back by drag."""
    place, speed = state[:2], state[2:]
    faster = speed + seconds * (4.0 * np.clip(action, -1, 1) - 0.5 * speed)
    return np.concatenate([place + seconds * (speed + faster) / 2, faster])


class Cart(gym.Env):
    """Begins near (0, 5) at rest; ``metadata`` names its features."""

    metadata = {"feature_names": NAMES, "render_modes": []}  # noqa: RUF012
    dt = STEP

    def __init__(self) -> None:
        self.observation_space = gym.spaces.Box(-50, 50, (4,), np.float64)
        self.action_space = gym.spaces.Box(-1, 1, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = start(self.np_random)
        return self.state.copy(), {}

    def step(self, action):
        self.state = moved(self.state, np.asarray(action, np.float64))
        return self.state.copy(), 0.0, False, False, {}


def start(generator: np.random.Generator) -> np.ndarray:
    """Where an episode begins."""
    return np.array([0.0, 5.0, 0.0, 0.0]) + generator.uniform(-0.1, 0.1, 4)


gym.register("depo-test/Cart-v0", entry_point=Cart, max_episode_steps=LIMIT)
ID = f"{__name__}:depo-test/Cart-v0"


def recording(seconds: float = STEP, episodes: int = 6, length: int = 100) -> list[np.ndarray]:
    """Drives to places drawn at random, further and faster than random actions get."""
    generator, walks = np.random.default_rng(0), []
    for _ in range(episodes):
        goal, states = generator.uniform(-9, 9, 2), [start(generator)]
        for _ in range(length - 1):
            state = states[-1]
            action = 0.8 * (goal - state[:2]) - 0.6 * state[2:]
            states.append(moved(state, action, seconds))
        walks.append(np.array(states))
    return walks


def demonstrations(walks: list[np.ndarray]) -> Demonstrations:
    """The walks under the environment's names."""
    return Demonstrations.from_episodes(walks, feature_names=NAMES)


@cache
def explored() -> Explored:
    """One exploration for all tests."""
    return explore(GymnasiumEnvironment(ID))

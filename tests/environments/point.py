"""A third-party environment with vector spaces and an exact inverse: s' = s + a/10."""

from __future__ import annotations

import equinox as eqx
import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from depo.models.normaliser import Normaliser
from depo.models.planner import GaussianPlanner

STEP = 0.1


class Point(gym.Env):
    """A point in the plane, moved by its action; may be clipped in sight, or misbehave."""

    def __init__(self, fault: str = "", after: int = 0, actions: str = "box"):
        self.fault, self.after, self.taken = fault, after, 0
        self.observation_space = gym.spaces.Box(-10, 10, (2,), np.float64)
        self.action_space = {
            "box": gym.spaces.Box(-1, 1, (2,), np.float32),
            "wide": gym.spaces.Box(-3, 5, (2,), np.float32),
            "square": gym.spaces.Box(-1, 1, (1, 2), np.float32),
            "whole": gym.spaces.Box(-2, 2, (2,), np.int64),
            "unbounded": gym.spaces.Box(-np.inf, np.inf, (2,), np.float32),
            "largest": gym.spaces.Box(-np.finfo("f4").max, np.finfo("f4").max, (2,), np.float32),
            "fixed": gym.spaces.Box(np.float32([-1, 0]), np.float32([1, 0])),
            "discrete": gym.spaces.Discrete(3),
            "several": gym.spaces.MultiDiscrete([3, 3], start=[-1, -1]),
            "square choices": gym.spaces.MultiDiscrete([[2, 3]]),
            "binary": gym.spaces.MultiBinary(2),
            "many": gym.spaces.MultiBinary(10),
            "tuple": gym.spaces.Tuple([gym.spaces.Discrete(2), gym.spaces.Discrete(2)]),
        }[actions]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = self.np_random.uniform(-1, 1, 2)
        return self.state.copy(), {}

    def step(self, action):
        self.taken += 1
        broken = self.fault and self.taken > self.after
        if broken and self.fault == "raises":
            raise RuntimeError("the motor is on fire")
        self.state = self.state + STEP * np.asarray(action, np.float64).ravel()
        state = np.full(2, np.nan) if broken and self.fault == "nan" else self.state.copy()
        reward = -float(np.abs(self.state[1]))
        return state, reward, bool(np.abs(self.state).max() > 4), False, {}


gym.register("depo-test/Point-v0", entry_point=Point, max_episode_steps=40)
ID = f"{__name__}:depo-test/Point-v0"


def batch(copies: int = 3, mode: AutoresetMode = AutoresetMode.SAME_STEP) -> SyncVectorEnv:
    """Several points at once, whose episodes have five steps."""
    make = [lambda: gym.wrappers.TimeLimit(Point(), 5)] * copies
    return SyncVectorEnv(make, autoreset_mode=mode)


def straight_demonstrations(path, episodes: int = 6):
    """An expert that walks right, half a step each time; its actions are recorded, too."""
    from depo.data import Demonstrations

    generator = np.random.default_rng(0)
    walks = [
        generator.uniform(-1, 1, 2) + np.arange(41)[:, None] * np.array([STEP / 2, 0.0])
        for _ in range(episodes)
    ]
    actions = np.tile(np.array([0.5, 0.0], np.float32), (41 * episodes, 1))
    lengths = np.full(episodes, 41)
    return Demonstrations(np.concatenate(walks), lengths, actions=actions).save(path)


def arriving_demonstrations(path):
    """An expert that walks right at full speed until its episode ends, before the time limit."""
    from depo.data import Demonstrations

    generator = np.random.default_rng(0)
    walks = [
        np.column_stack([4.05 - STEP * np.arange(n, -1, -1), np.full(n + 1, generator.uniform())])
        for n in (31, 32, 33, 34)
    ]
    return Demonstrations.from_episodes(walks).save(path)


def inverse(state, target):
    """The exact skill."""
    return (target - state) / STEP


def opposite_inverse(state, target):
    """The exact skill under inverted dynamics."""
    return (state - target) / STEP


def by_numpy(state, target):
    """A formula that cannot be compiled."""
    return np.asarray(target - state) / STEP


def in_newtons(state, target):
    """A formula in units of its own."""
    return 100.0 * (target - state) / STEP


def no_number(state, target):
    """A formula that divides by nothing."""
    return (target - state) * np.array([1.0, np.nan])


def three_numbers(state, target):
    """A formula for another body."""
    return (target - state)[..., [0, 0, 1]]


def one_for_all(state, target):
    """A formula that forgets that there are many states at once."""
    return (target - state).reshape(-1)[:2]


def asks_too_much(state, target):
    """A formula for longer states."""
    return target - state * np.ones(7)


def walking(move: tuple[float, float], scale: float = 0.5) -> GaussianPlanner:
    """A planner that always goes by the same; states are standardised by 0 ± ``scale``."""
    normaliser = Normaliser(jnp.zeros(2), jnp.full(2, scale))
    planner = GaussianPlanner(jax.random.key(0), normaliser, hidden=())
    outputs = jnp.array([move[0] / scale, move[1] / scale, 0.0, 0.0])
    where = (jnp.zeros_like(planner.network.weights[0]), outputs)
    return eqx.tree_at(lambda p: (p.network.weights[0], p.network.biases[0]), planner, where)

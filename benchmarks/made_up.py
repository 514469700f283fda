"""Tasks that nobody tuned for, as engineers write them, each with a controller to record.

They have what Gymnasium's own tasks have not: time limits of their own that no specification says,
kelvins beside pascals, bounds of actions that differ, an action that does nothing, a road that
ends. ``benchmarks/strangers.py`` learns them as ``made_up:Quadrotor`` and so on.
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Discrete

ANYTHING = {"low": -np.inf, "high": np.inf, "dtype": np.float32}


class Task(gym.Env):
    """An episode of ``steps`` steps at most; a subclass says how it begins and goes on."""

    steps = 200

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        """Begin anew."""
        super().reset(seed=seed)
        self.time = 0
        self._begin()
        return self._seen(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Go on."""
        self.time += 1
        reward, ended = self._go(np.asarray(action, float))
        return self._seen(), float(reward), bool(ended), self.time >= self.steps, {}

    def _begin(self) -> None:
        """The first state."""
        raise NotImplementedError

    def _go(self, action: np.ndarray) -> tuple[float, bool]:
        """One step; its reward, and whether it ends the episode."""
        raise NotImplementedError

    def _seen(self) -> np.ndarray:
        """The state as a policy sees it."""
        return self.state.astype(np.float32)


class Quadrotor(Task):
    """A quadrotor in a plane hovers at the origin; leaving the room or turning over ends it."""

    observation_space, action_space = Box(**ANYTHING, shape=(6,)), Box(0.0, 1.0, (2,))
    gravity, turning, dt = 9.81, 1.25, 0.02

    def _begin(self) -> None:
        self.state = self.np_random.uniform(-1, 1, 6) * [1, 1, 0.3, 0.5, 0.5, 0.5]

    def _go(self, action: np.ndarray) -> tuple[float, bool]:
        left, right = np.clip(action, 0, 1) * self.gravity
        for _ in range(2):
            tilt, velocity = self.state[2], self.state[3:]
            push = (left + right) * np.array([-np.sin(tilt), np.cos(tilt)])
            turn = (right - left) * self.turning
            change = np.array([*velocity, push[0], push[1] - self.gravity, turn])
            self.state = self.state + self.dt * change
        away = np.abs(self.state[:2])
        return 1 - 0.3 * away.sum(), bool(away.max() > 3 or abs(self.state[2]) > 1.4)

    @staticmethod
    def controller(state: np.ndarray, step: int) -> np.ndarray:
        """Tilt towards the origin, thrust against falling."""
        x, y, tilt, vx, vy, turning = state
        wanted = np.clip(0.35 * x + 0.45 * vx, -0.5, 0.5)
        thrust = (9.81 - 3 * y - 3 * vy) / max(np.cos(tilt), 0.5)
        turn = (12 * (wanted - tilt) - 5 * turning) / Quadrotor.turning
        return np.clip(np.array([thrust - turn, thrust + turn]) / 2 / 9.81, 0, 1)


class Reach(Task):
    """A mass in a plane goes to a point that is part of what it sees."""

    steps = 60
    observation_space = Box(-10, 10, (6,), np.float64)
    action_space = Box(-2, 2, (2,), np.float32)

    def _begin(self) -> None:
        place, goal = self.np_random.uniform(-1, 1, (2, 2))
        self.state = np.concatenate([place, np.zeros(2), goal])

    def _go(self, action: np.ndarray) -> tuple[float, bool]:
        place, velocity, goal = np.split(self.state, 3)
        velocity = 0.9 * velocity + 0.05 * np.clip(action, -2, 2)
        place = place + 0.5 * velocity
        self.state = np.concatenate([place, velocity, goal])
        return -float(np.linalg.norm(place - goal)), False

    def _seen(self) -> np.ndarray:
        return self.state.copy()

    @staticmethod
    def controller(state: np.ndarray, step: int) -> np.ndarray:
        """A spring and a brake."""
        return np.clip(3 * (state[4:] - state[:2]) - 6 * state[2:4], -2, 2)


class Furnace(Task):
    """A furnace in kelvin and pascal is heated to a set point, its pressure held."""

    steps = 120
    observation_space, action_space = Box(**ANYTHING, shape=(4,)), Box(0, 100, (2,), np.float32)
    outside, pressure = 295.0, 1e5

    def _begin(self) -> None:
        warm, wanted = self.np_random.uniform([295, 650], [305, 750])
        self.state = np.array([warm, self.pressure, wanted, self.outside])

    def _go(self, action: np.ndarray) -> tuple[float, bool]:
        heating, valve = np.clip(action, 0, 100)
        warm, pressure, wanted, wall = self.state
        warm += 0.12 * heating - 0.01 * (warm - wall)
        wall += 0.02 * (warm - wall) - 0.01 * (wall - self.outside)
        pressure += 30 * (valve - 50) - 0.02 * (pressure - self.pressure) + 0.2 * (warm - 500)
        self.state = np.array([warm, pressure, wanted, wall])
        return -abs(warm - wanted) / 100 - abs(pressure - 1.01 * self.pressure) / 1e4, False

    @staticmethod
    def controller(state: np.ndarray, step: int) -> np.ndarray:
        """Proportional, with the wall's loss added."""
        warm, pressure, wanted, wall = state
        heating = 2 * (wanted - warm) + (warm - wall) / 12
        return np.clip(np.array([heating, 50 + (1.01e5 - pressure) / 50]), 0, 100)


class Lane(Task):
    """A car finds its lane and drives to the end of the road, where the episode ends; so does it
    in the ditch."""

    steps = 400
    observation_space = Box(**ANYTHING, shape=(4,))
    limits = np.array([0.5, 3.0], np.float32)
    action_space = Box(-limits, limits)

    def _begin(self) -> None:
        side, heading, speed = self.np_random.uniform([-2, -0.2, 5], [2, 0.2, 10])
        self.state = np.array([0.0, side, heading, speed])

    def _go(self, action: np.ndarray) -> tuple[float, bool]:
        steering, throttle = np.clip(action, -self.limits, self.limits)
        way, side, heading, speed = self.state
        way, side = way + 0.1 * speed * np.cos(heading), side + 0.1 * speed * np.sin(heading)
        heading = heading + 0.04 * speed * np.tan(steering)
        self.state = np.array([way, side, heading, max(speed + 0.1 * throttle, 0.0)])
        arrived, lost = way > 100, abs(side) > 4
        cost = 0.02 * abs(side) + 0.01 * abs(speed - 12)
        return 10.0 * arrived - 10.0 * lost - cost, bool(arrived or lost)

    @staticmethod
    def controller(state: np.ndarray, step: int) -> np.ndarray:
        """Steer back, hold the speed."""
        wanted = np.array([-0.15 * state[1] - 0.8 * state[2], 1.5 * (12 - state[3])])
        return np.clip(wanted, -Lane.limits, Lane.limits)


class Positions(Task):
    """A mass shows where it is and where it was, no velocity; it is pushed left, right or not."""

    steps = 100
    observation_space, action_space = Box(-5, 5, (2,), np.float32), Discrete(3)

    def _begin(self) -> None:
        self.state, self.velocity = np.full(2, self.np_random.uniform(-1, 1)), 0.0

    def _go(self, action: np.ndarray) -> tuple[float, bool]:
        self.velocity = 0.95 * self.velocity + 0.03 * (float(action) - 1)
        self.state = np.array([self.state[0] + self.velocity, self.state[0]])
        return -abs(self.state[0]), bool(abs(self.state[0]) > 3)

    @staticmethod
    def controller(state: np.ndarray, step: int) -> int:
        """A spring and a brake, rounded."""
        push = -6 * (state[0] + 4 * (state[0] - state[1]))
        return int(np.clip(np.round(push), -1, 1)) + 1


class Wheel(Task):
    """A flywheel with a weight on its rim keeps its speed; the second motor is not connected."""

    steps = 150
    observation_space, action_space = Box(-50, 50, (3,), np.float32), Box(-1, 1, (2,), np.float32)

    def _begin(self) -> None:
        self.angle, self.speed = self.np_random.uniform([-3, -1], [3, 1])

    def _go(self, action: np.ndarray) -> tuple[float, bool]:
        push = 0.2 * np.clip(action[0], -1, 1)
        self.speed += push - 0.01 * self.speed - 0.05 * np.sin(self.angle)
        self.angle += 0.1 * self.speed
        return -abs(self.speed - 3), False

    def _seen(self) -> np.ndarray:
        return np.array([np.cos(self.angle), np.sin(self.angle), self.speed], np.float32)

    @staticmethod
    def controller(state: np.ndarray, step: int) -> np.ndarray:
        """Hold three radians a second against friction and weight."""
        return np.array([np.clip(5 * (3 - state[2]) + 0.15 + 0.25 * state[1], -1, 1), 0.0])


TASKS = {f"made_up:{task.__name__}": task for task in Task.__subclasses__()}
"""By what ``--env`` says of them, with this folder on Python's path."""
LEAST = {
    "made_up:Quadrotor": 150.0,
    "made_up:Reach": -15.0,
    "made_up:Furnace": -100.0,
    "made_up:Lane": 8.0,
    "made_up:Positions": -10.0,
    "made_up:Wheel": -40.0,
}
"""The least return of an episode that is kept as a recording."""

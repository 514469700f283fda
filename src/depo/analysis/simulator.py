"""A simulator that does recorded transitions again: put into s, it looks for the action to s'.

It needs an environment on MuJoCo whose observations are the positions of all joints (perhaps
without the first, as the place on the floor) and then all velocities.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from gymnasium.spaces import Box
from scipy.optimize import lsq_linear

from depo.environments.gymnasium_environment import GymnasiumEnvironment

ROUNDS, NUDGE = 6, 0.05
"""Gauss-Newton steps towards an action, and how far it is moved to see what changes, in half
widths of the action's range."""
REACHED = 0.1
"""A transition is done again if what is left is at most this share of the change, or of a usual
change where that is larger."""
LOOKS, CLIPPED = 5, 10.0
"""Steps in which observations are compared with poses, and where tasks may clip velocities."""
ALIKE = 1e-3
"""How near a step that is done twice must lead to the same state."""
FREE, BALL = 0, 1
"""MuJoCo's numbers for joints with a quaternion."""


class Joint(NamedTuple):
    """Features of a joint: its positions (none: they are not shown) and its velocities."""

    positions: tuple[int, ...]
    velocities: tuple[int, ...]
    kind: int

    @property
    def quaternion(self) -> tuple[int, ...]:
        """Features that are w, x, y, z."""
        return self.positions[-4:] if self.kind in (FREE, BALL) else ()


class Simulator:
    """A simulator that is put into states, from each of which one step is taken."""

    def __init__(self, environment: GymnasiumEnvironment, states: int):
        self._env = environment.make()
        self._env.reset(seed=0)
        inner: Any = self._env.unwrapped
        self._inner = inner
        self._hidden = len(inner.data.qpos) + len(inner.data.qvel) - states
        self._seen = len(inner.data.qpos) - self._hidden
        self.low, self.high = (
            np.asarray(x, float) for x in (inner.action_space.low, inner.action_space.high)
        )

    @classmethod
    def of(cls, environment: GymnasiumEnvironment, states: int) -> Simulator | None:
        """One that can be put into what the environment shows; None: it cannot."""
        env = environment.plain().make()
        inner: Any = env.unwrapped
        try:
            is_bounded = isinstance(inner.action_space, Box) and inner.action_space.is_bounded()
            hidden = len(inner.data.qpos) + len(inner.data.qvel) - states
            if not is_bounded or hidden < 0 or not _shows_its_pose(env, hidden):
                return None
        except Exception:  # a stranger's environment: whatever it raises, it shows no pose
            return None
        finally:
            env.close()
        return cls(environment.plain(), states)

    @property
    def joints(self) -> list[Joint]:
        """The joints of the model, by the features that are theirs."""
        model = self._inner.model
        own = zip(model.jnt_type, model.jnt_qposadr, model.jnt_dofadr, strict=True)
        found = []
        for kind, position, velocity in own:
            numbers, rates = {FREE: (7, 6), BALL: (4, 3)}.get(int(kind), (1, 1))
            places = [int(position) - self._hidden + i for i in range(numbers)]
            speeds = [self._seen + int(velocity) + i for i in range(rates)]
            found.append(Joint(tuple(i for i in places if i >= 0), tuple(speeds), int(kind)))
        return found

    def again(
        self, state: np.ndarray, target: np.ndarray, scale: np.ndarray, rounds: int = ROUNDS
    ) -> tuple[float, float]:
        """The reward of a transition, and the share of it that no action found reaches."""
        size = max(float(np.linalg.norm((target - state) / scale)), np.sqrt(len(state)))
        action = (self.low + self.high) / 2
        best, left = 0.0, np.inf
        for _ in range(rounds):
            reached, reward = self._step(state, action)
            error = (target - reached) / scale
            if (own := float(np.linalg.norm(error)) / size) < left:
                best, left = reward, own
            if left < REACHED / 10:
                break
            action = self._improved(state, action, reached, error, scale)
        return best, left

    def _improved(
        self,
        state: np.ndarray,
        action: np.ndarray,
        reached: np.ndarray,
        error: np.ndarray,
        scale: np.ndarray,
    ) -> np.ndarray:
        """One Gauss-Newton step within the bounds."""
        width = NUDGE * (self.high - self.low) / 2
        width = np.where(action + width > self.high, -width, width)
        nudged = action + np.diag(width)
        slopes = [(self._step(state, own)[0] - reached) / scale for own in nudged]
        slope = np.array(slopes).T / width
        room = (self.low - action - 1e-9, self.high - action + 1e-9)
        return np.clip(action + lsq_linear(slope, error, room).x, self.low, self.high)

    def _step(self, state: np.ndarray, action: np.ndarray) -> tuple[np.ndarray, float]:
        seen, velocity = np.split(state, [self._seen])
        self._inner.set_state(np.concatenate([np.zeros(self._hidden), seen]), velocity)
        reached, reward, *_ = self._inner.step(action.astype(self._inner.action_space.dtype))
        return np.asarray(reached, float), float(reward)

    def close(self) -> None:
        """Close the simulator."""
        self._env.close()


def _shows_its_pose(env: Any, hidden: int) -> bool:
    """Whether observations are positions, but for the first ones, and velocities, and a step from
    the same pose leads to the same again."""
    inner = env.unwrapped
    env.reset(seed=0)
    env.action_space.seed(0)
    for _ in range(LOOKS):
        before = inner.data.qpos.copy(), inner.data.qvel.copy()
        action = env.action_space.sample()
        seen, _, is_over, is_cut, _ = env.step(action)
        pose = np.concatenate([inner.data.qpos[hidden:], inner.data.qvel])
        if np.shape(seen) != pose.shape:
            return False
        is_clipped = np.arange(len(pose)) >= len(pose) - len(inner.data.qvel)
        is_clipped &= np.abs(pose) > CLIPPED
        if not np.allclose(np.where(is_clipped, pose, seen), pose, atol=1e-5):
            return False
        if is_over or is_cut:
            env.reset(seed=0)
    inner.set_state(*before)
    return bool(np.allclose(env.step(action)[0], seen, rtol=ALIKE, atol=ALIKE))

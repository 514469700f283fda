"""The expert's return where a recording has none: its transitions are done again in the simulator.

The simulator is put into a recorded state s, and the action is found that leads to the recorded s';
the environment then says the reward of (s,a,s').
The return is the mean reward times the mean length of an episode. It needs a simulator that can be
put into the state that an observation shows: Gymnasium's MuJoCo tasks. What is left between s' and
the state reached says whether it can be believed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import lsq_linear

from depo.data.demonstrations import Demonstrations
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.mujoco import NAME_OF
from depo.environments.mujoco_states import MujocoStates

SAMPLES = 200
"""Transitions that are done again, drawn evenly from all."""
ROUNDS, NUDGE = 6, 0.05
"""Gauss-Newton steps towards an action, and how far it is moved to see what changes, in half
widths of the action's range."""
REACHED = 0.1
"""A transition is done again if what is left is at most this share of the change, or of a usual
change where that is larger."""
ENOUGH = 0.8
"""Share of the transitions that must be done again for their reward to be the expert's."""


@dataclass(frozen=True)
class ReplayedReturn:
    """What the expert's return must have been."""

    mean: float
    reached: float
    """Share of the transitions that were done again."""
    samples: int

    @property
    def is_believed(self) -> bool:
        """Whether the simulator moves as the recording does."""
        return self.reached >= ENOUGH

    def told(self) -> str:
        """In one sentence.

        >>> ReplayedReturn(3200.4, 0.985, 200).told()[-57:]
        '98% of 200 recorded transitions could be done again there'
        """
        done = (
            f"{self.reached:.0%} of {self.samples} recorded transitions could be done again there"
        )
        if self.is_believed:
            return f"the recording has no returns, the expert's is what the simulator gives: {done}"
        return f"the recording has no returns, and the simulator does not give the expert's: {done}"


def recorded_in(environment: GymnasiumEnvironment) -> GymnasiumEnvironment | None:
    """An environment as recordings for it were made, without other dynamics; None: its simulator
    cannot be put into the states that it shows."""
    if environment.id not in NAME_OF or environment.observe:
        return None
    return replace(environment.plain(), dynamics="")


def replayed_return(
    environment: GymnasiumEnvironment, demos: Demonstrations
) -> ReplayedReturn | None:
    """The expert's return in the environment it was recorded in (:func:`recorded_in`); None: the
    recorded states do not say the pose."""
    if demos.is_finite or not MujocoStates.known(environment, demos.dimension):
        return None
    state, next_state = (np.asarray(x, float) for x in demos.transitions())
    rows = np.unique(np.linspace(0, len(state) - 1, min(SAMPLES, len(state))).astype(int))
    scale = np.maximum((next_state - state).std(axis=0), 1e-9)
    simulator = _Simulator(environment)
    try:
        done = [simulator.again(state[i], next_state[i], scale) for i in rows]
    finally:
        simulator.close()
    rewards, left = np.array(done).T
    reached = left <= REACHED
    mean = float(rewards[reached].mean()) if reached.any() else 0.0
    return ReplayedReturn(mean * len(state) / demos.episodes, float(reached.mean()), len(rows))


class _Simulator:
    """A simulator that is put into states, from each of which one step is taken."""

    def __init__(self, environment: GymnasiumEnvironment):
        self._env = environment.make()
        self._env.reset(seed=0)
        inner: Any = self._env.unwrapped
        self._inner = inner
        structure = inner.observation_structure
        self._hidden, self._seen = int(structure.get("skipped_qpos", 0)), int(structure["qpos"])
        self.low, self.high = (
            np.asarray(x, float) for x in (inner.action_space.low, inner.action_space.high)
        )

    def again(
        self, state: np.ndarray, target: np.ndarray, scale: np.ndarray
    ) -> tuple[float, float]:
        """The reward of a transition, and the share of it that no action found reaches."""
        size = max(float(np.linalg.norm((target - state) / scale)), np.sqrt(len(state)))
        action = (self.low + self.high) / 2
        best, left = 0.0, np.inf
        for _ in range(ROUNDS):
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

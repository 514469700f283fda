"""The expert's return where a recording has none: its transitions are done again in the simulator.

The simulator is put into a recorded state s, and the action is found that leads to the recorded s';
the environment then says the reward of (s,a,s').
The return is the mean reward times the mean length of an episode. It needs a simulator that can be
put into the state that an observation shows: Gymnasium's MuJoCo tasks. What is left between s' and
the state reached says whether it can be believed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from depo.analysis.simulator import REACHED, Simulator
from depo.data.demonstrations import Demonstrations
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.mujoco import NAME_OF
from depo.environments.mujoco_states import MujocoStates

SAMPLES = 200
"""Transitions that are done again, drawn evenly from all."""
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
    simulator = Simulator(environment, demos.dimension)
    try:
        done = [simulator.again(state[i], next_state[i], scale) for i in rows]
    finally:
        simulator.close()
    rewards, left = np.array(done).T
    reached = left <= REACHED
    mean = float(rewards[reached].mean()) if reached.any() else 0.0
    return ReplayedReturn(mean * len(state) / demos.episodes, float(reached.mean()), len(rows))

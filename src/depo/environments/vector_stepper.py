"""Copies of an environment side by side whose steps never cross a reset."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.spaces import Discrete

from depo.core.errors import DepoError
from depo.environments.misbehaviour import SimulationError, not_finite, saying_what_is_wrong

if TYPE_CHECKING:
    from depo.environments.gymnasium_environment import GymnasiumEnvironment

LONGEST = 1_000_000
"""Steps after which an episode that should have been cut will never end."""

SUCCESS = ("success", "is_success")
"""Where the information of a step says whether the episode has reached what it is for."""


def check_decided(actions: np.ndarray) -> None:
    """Refuse actions that are no numbers, before an environment is blamed for what they do."""
    if not np.isfinite(actions).all():
        raise DepoError(
            "the policy gives actions that are no numbers: training diverged, lower the learning "
            "rates, or its method is at fault; the run folder is whole"
        )


class VectorStepper:
    """Copies of an environment whose steps never cross a reset: s' is the state really reached."""

    def __init__(self, environment: GymnasiumEnvironment, copies: int):
        self.environment = environment
        self._envs = environment.make_vector(copies)
        space = self._envs.single_observation_space
        self._states = int(space.n) if isinstance(space, Discrete) else 0
        self.succeeded = np.full(copies, np.nan)
        """Whether the last step of each copy reported success; NaN: it reported nothing."""

    def reset(self, seeds: Sequence[int]) -> np.ndarray:
        """Start every copy from its own seed."""
        own: Any = list(seeds)
        with self._guarded():
            state = np.array(self._envs.reset(seed=own)[0])
        return self._checked(state)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, ...]:
        """Returns (state to act from, s' reached, reward, terminated, truncated)."""
        check_decided(actions)
        with self._guarded():
            state, reward, terminated, truncated, info = self._envs.step(actions)
        state = np.array(state)
        reached = state.copy()
        for i in np.flatnonzero(terminated | truncated):
            reached[i] = info["final_obs"][i]
        self.succeeded = _successes(info, terminated | truncated)
        state, reached = self._checked(state), self._checked(reached)
        if not np.isfinite(reward).all():
            broken = reward[~np.isfinite(reward)][0]
            raise not_finite(self.environment.id, "reward", broken)
        return state, reached, np.asarray(reward, np.float32), terminated, truncated

    def steps_to_the_end(self, limit: int | None = None) -> Iterator[int]:
        """Numbers of steps, as long as the caller goes on; refuses episodes that never end."""
        yield from range(LONGEST if limit is None else limit)
        if limit is None:
            raise DepoError(
                f"an episode of environment '{self.environment.id}' has not ended after "
                f"{LONGEST:,} steps: register it with a time limit (max_episode_steps)"
            )

    def close(self) -> None:
        """Close all copies."""
        self._envs.close()

    def _checked(self, state: np.ndarray) -> np.ndarray:
        """States of a finite set, or finite numbers as float32."""
        if self._states:
            if ((state < 0) | (state >= self._states)).any():
                raise SimulationError(
                    f"environment '{self.environment.id}' returned a state outside its "
                    f"{self._states} states"
                )
            return state
        state = state.astype(np.float32)
        if not np.isfinite(state).all():
            copy, feature = np.argwhere(~np.isfinite(state))[0]
            own, names = self.environment.id, self.environment.feature_names()
            raise not_finite(own, "observation", state[copy, feature], int(feature), names)
        return state

    def _guarded(self) -> contextlib.AbstractContextManager[None]:
        return saying_what_is_wrong(self.environment.id, self.environment.make)


def _successes(info: dict[str, Any], ended: np.ndarray) -> np.ndarray:
    """What every copy reports of a step, in the words of Gymnasium-Robotics; an ended copy's own
    information is set apart, beside that of its restart."""
    found = np.full(len(ended), np.nan)
    for rows, own in ((~ended, info), (ended, info.get("final_info", {}))):
        for word in SUCCESS:
            said = rows & np.asarray(own.get(f"_{word}", rows), bool)
            values = np.asarray(own.get(word, ()))
            if values.shape == ended.shape:
                with contextlib.suppress(TypeError, ValueError):  # the word means something else
                    found[said] = values[said].astype(np.float64)  # NumPy's truths are objects
    return found

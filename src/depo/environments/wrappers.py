"""Wrappers that present anybody's environment as learners want it."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box
from gymnasium.wrappers import ClipAction


class FlatActions(gym.ActionWrapper):
    """Actions of several axes given as one vector."""

    def __init__(self, env: gym.Env):
        super().__init__(env)
        space = env.action_space
        assert isinstance(space, Box)
        self._shape = space.shape
        self.action_space = Box(space.low.ravel(), space.high.ravel(), dtype=space.dtype.type)

    def action(self, action: np.ndarray) -> np.ndarray:
        """As the environment wants it."""
        return np.reshape(action, self._shape)


class WithoutTermination(gym.Wrapper):
    """Hides termination: the episode goes on to its time limit, fallen or not."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """A step that never ends the episode."""
        state, reward, _, truncated, info = self.env.step(action)
        return state, reward, False, truncated, info


class WithPreviousState(gym.ObservationWrapper):
    """States with the state before appended; at an episode's start that is the state itself."""

    def __init__(self, env: gym.Env):
        super().__init__(env)
        space = env.observation_space
        assert isinstance(space, Box)
        twice = [np.concatenate([bound, bound]) for bound in (space.low, space.high)]
        self.observation_space = Box(twice[0], twice[1], dtype=space.dtype.type)
        self._before: np.ndarray | None = None

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        """Forget."""
        self._before = None
        return super().reset(**arguments)

    def observation(self, observation: np.ndarray) -> np.ndarray:
        """(s, s before)."""
        before = observation if self._before is None else self._before
        self._before = observation.copy()
        return np.concatenate([observation, before])


class OwnSteps(gym.Wrapper):
    """Steps that stay what they were: an observation is a copy, since many environments return the
    array that they change in the next step, or at the next reset, which would overwrite the last
    state of an episode; a reward that is an array of one number is that number."""

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        """A start, as the environment has it."""
        found: Any = self.env.reset(**arguments)
        # what is no pair is refused further out, in words
        return (_copied(found[0]), *found[1:]) if isinstance(found, tuple) and found else found

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """A step, as the environment has it."""
        stepped = self.env.step(action)
        reward: Any = stepped[1]
        if not isinstance(reward, float) and np.ndim(reward) and np.size(reward) == 1:
            reward = float(np.asarray(reward).item())
        return _copied(stepped[0]), reward, *stepped[2:]


def _copied(state: Any) -> Any:
    return state.copy() if isinstance(state, np.ndarray) else state


class ClippedBounds(gym.Wrapper):
    """An environment that cuts actions off: their bounds are where it does."""

    def __init__(self, env: gym.Env, bounds: Box):
        super().__init__(env)
        self.action_space = bounds


def with_clipped_bounds(env: gym.Env) -> gym.Env:
    """Bounds for actions that only Gymnasium's ``ClipAction`` has taken them from; what is beyond
    has no effect there."""
    space, inner = env.action_space, env
    while isinstance(inner, gym.Wrapper) and inner.action_space == space:
        bounds = inner.env.action_space
        if isinstance(inner, ClipAction) and isinstance(bounds, Box):
            return ClippedBounds(env, bounds) if bounds != space else env
        if isinstance(inner, gym.ActionWrapper):
            break
        inner = inner.env
    return env

"""What of an observation is a state: all of it, some of its parts, or what a function makes of it.

``observe`` is a text: empty, keys of a Dict (``observation,desired_goal``), or ``module:function``
for a function from an observation to a vector, which is how pictures get in.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box

from depo.core.errors import DepoError
from depo.core.imports import import_module
from depo.environments.flattening import Flattening, has_parts, is_picture

FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
NAMES = "feature_names"
"""Where metadata, and functions that observe, say what the numbers of a state are called."""
GOAL = "desired_goal"
"""The key of what an episode is to reach, in the manner of Gymnasium-Robotics."""


def observed(env: gym.Env, observe: str, id_: str) -> gym.Env:
    """An environment whose states are numbers or one array."""
    if wanted_function(observe):
        return Embedded(env, find_function(observe), observe)
    space, keys = env.observation_space, keys_of(observe)
    try:
        if has_parts(space):
            return Flattened(env, Flattening.of(space, keys))
    except DepoError as error:
        raise DepoError(f"environment '{id_}': {error}") from None
    if keys:
        raise DepoError(
            f"environment '{id_}' has the observation space {space}, which has no parts: leave "
            f"--observe {observe} out, or give module:function"
        )
    if is_picture(space):
        raise DepoError(
            f"environment '{id_}' shows pictures ({space}) and states are vectors: give "
            "--observe module:function, which makes a vector of one"
        )
    return env


def keys_of(observe: str) -> tuple[str, ...]:
    """The keys that a text names.

    >>> keys_of("observation, desired_goal"), keys_of("mine:embed")
    (('observation', 'desired_goal'), ())
    """
    if wanted_function(observe):
        return ()
    return tuple(word.strip() for word in observe.split(",") if word.strip())


def wanted_function(observe: str) -> tuple[str, ...]:
    """The text, if it names a function: the import of its module is for the user to allow."""
    return (observe,) if FUNCTION.fullmatch(observe) else ()


def find_function(name: str) -> Callable[[Any], Any]:
    """The function of that name."""
    module, _, function = name.partition(":")
    found = getattr(import_module(module, "observe", name), function, None)
    if not callable(found):
        raise DepoError(f"module '{module}' has no function '{function}' to observe with")
    return found


def goal_features(names: tuple[str, ...]) -> tuple[int, ...]:
    """The features that are the goal of an episode.

    >>> goal_features(("achieved_goal.x0", "desired_goal.x0", "observation.x0"))
    (1,)
    """
    return tuple(i for i, name in enumerate(names) if name.partition(".")[0] == GOAL)


class Flattened(gym.ObservationWrapper):
    """Observations of several parts as one vector, whose features are named in the metadata."""

    def __init__(self, env: gym.Env, flattening: Flattening):
        super().__init__(env)
        self.flattening = flattening
        self.observation_space = flattening.box
        self.metadata = {NAMES: flattening.names} | env.metadata

    def observation(self, observation: Any) -> np.ndarray:
        """As a vector."""
        return self.flattening.vector(observation)


class Embedded(gym.ObservationWrapper):
    """Observations as what a function makes of them.

    It is tried with a random observation of the space; its ``feature_names``, if it has such, name
    the numbers it gives.
    """

    def __init__(self, env: gym.Env, function: Callable[[Any], Any], name: str):
        super().__init__(env)
        self._function, self._name, self._size = function, name, 0
        self._size = len(self.observation(env.observation_space.sample()))
        self.observation_space = Box(-np.inf, np.inf, (self._size,), np.float32)
        if names := tuple(getattr(function, NAMES, ())):
            self.metadata = env.metadata | {NAMES: names}
        elif NAMES in env.metadata:
            self.metadata = {key: own for key, own in env.metadata.items() if key != NAMES}

    def observation(self, observation: Any) -> np.ndarray:
        """The function's vector, checked."""
        try:
            found = np.asarray(self._function(observation))
        except Exception as error:  # it is anybody's code
            raise DepoError(
                f"the function '{self._name}' fails for an observation: "
                f"{type(error).__name__}: {error}"
            ) from error
        if found.ndim != 1 or not found.size or found.dtype.kind not in "fiub":
            raise DepoError(
                f"the function '{self._name}' gives {found.dtype}{list(found.shape)} for an "
                "observation: expected is a vector of numbers"
            )
        if self._size and len(found) != self._size:
            raise DepoError(
                f"the function '{self._name}' gives {len(found)} numbers, and gave {self._size} "
                "before: a state has one length"
            )
        return found.astype(np.float32)

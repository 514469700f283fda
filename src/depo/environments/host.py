"""Anybody's Gymnasium environment with finite states and actions, stepped from Python."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
import numpy as np

from depo.errors import DepoError, unknown


@dataclass(frozen=True)
class HostEnvironment:
    """A Gymnasium id (``module:Id-v0`` imports a module first) and its constructor's arguments."""

    id: str
    arguments: dict[str, Any] = field(default_factory=dict)

    def make(self) -> gym.Env:
        """One copy, checked to have finite spaces."""
        module, _, name = self.id.rpartition(":")
        if module:
            if "" not in sys.path:
                sys.path.insert(0, "")  # a module in the current folder, as with python -m
            try:
                importlib.import_module(module)
            except Exception as error:
                raise DepoError(
                    f"cannot import '{module}' of environment '{self.id}': {error}"
                ) from None
        if name not in gym.registry:
            raise unknown("environment", name, gym.registry)
        try:
            env = gym.make(name, **self.arguments)
        except Exception as error:
            raise DepoError(f"environment '{self.id}' cannot be made: {error}") from error
        for what, space in [("state", env.observation_space), ("action", env.action_space)]:
            if not isinstance(space, gym.spaces.Discrete):
                raise DepoError(
                    f"environment '{self.id}' has the {what} space {space}: the on-policy learner "
                    "takes finite (Discrete) states and actions only"
                )
            if space.start != 0:
                raise DepoError(f"environment '{self.id}': {what}s must be numbered from 0")
        return env

    def sizes(self) -> tuple[int, int]:
        """Number of states and actions."""
        env = self.make()
        try:
            return int(env.observation_space.n), int(env.action_space.n)  # type: ignore[attr-defined]
        finally:
            env.close()

    def vector(self, copies: int) -> VectorStepper:
        """Many copies side by side."""
        return VectorStepper(self, copies)


class VectorStepper:
    """Copies of an environment whose steps never cross a reset: s' is the state really reached."""

    def __init__(self, environment: HostEnvironment, copies: int):
        self.environment = environment
        self._envs = gym.vector.SyncVectorEnv(
            [environment.make] * copies, autoreset_mode=gym.vector.AutoresetMode.SAME_STEP
        )

    def reset(self, seeds: Sequence[int]) -> np.ndarray:
        """Start every copy from its own seed."""
        return np.asarray(self._guarded(lambda: self._envs.reset(seed=list(seeds))[0]))

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, ...]:
        """Returns (state to act from, s' reached, reward, terminated, truncated)."""
        state, reward, terminated, truncated, info = self._guarded(lambda: self._envs.step(actions))
        reached = np.asarray(state).copy()
        for i in np.flatnonzero(terminated | truncated):
            reached[i] = info["final_obs"][i]
        states = self._envs.single_observation_space.n  # type: ignore[attr-defined]
        if ((reached < 0) | (reached >= states)).any():
            raise DepoError(
                f"environment '{self.environment.id}' returned a state outside its {states} states"
            )
        if not np.isfinite(reward).all():
            raise DepoError(
                f"environment '{self.environment.id}' returned the reward "
                f"{reward[~np.isfinite(reward)][0]}: the run stops at its last checkpoint"
            )
        return np.asarray(state), reached, np.asarray(reward, np.float32), terminated, truncated

    def close(self) -> None:
        """Close all copies."""
        self._envs.close()

    def _guarded(self, call: Any) -> Any:
        try:
            return call()
        except (DepoError, KeyboardInterrupt):
            raise
        except Exception as error:
            raise DepoError(
                f"environment '{self.environment.id}' raised {type(error).__name__}: {error}; "
                "the run folder is whole, 'depo resume' goes on from its last checkpoint"
            ) from error

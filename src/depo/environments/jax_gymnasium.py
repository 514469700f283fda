"""JAX environments as Gymnasium environments: one copy, or many in one compiled call."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.vector.utils import batch_space

from depo.core.errors import DepoError
from depo.environments.gymnax_environment import GymnaxEnvironment, jax_environment
from depo.environments.jax_environment import (
    Copies,
    JaxEnvironment,
    Moved,
    begin,
    keys_of,
    step,
)

STEPS = 15
"""The word that makes of the first copy's key the one of what is random in steps."""


class JaxEnv(gym.Env[np.ndarray, np.ndarray]):
    """An environment of pure functions, ours or gymnax's, for whoever wants Gymnasium's.

    depo finds the functions in it, ``jax_environment``, and gathers inside the compiler.
    """

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        environment: Any,
        params: Any = None,
        time_limit: int | None = None,
        render_mode: str | None = None,
    ):
        self.render_mode = render_mode
        self.jax_environment = jax_environment(environment, params, time_limit)
        self.name = type(environment).__name__
        inner = self.jax_environment.environment
        sizes, self._choices = (inner.actions,), getattr(inner, "choices", ())
        if isinstance(inner, GymnaxEnvironment) and (names := inner.feature_names()):
            self.metadata = {**self.metadata, "feature_names": names}
        self._low = np.array(getattr(inner, "low", -np.ones(sizes)), np.float32)
        self._high = np.array(getattr(inner, "high", np.ones(sizes)), np.float32)
        self.observation_space = _observations(self.jax_environment)
        self.action_space: gym.Space = (
            gym.spaces.Discrete(inner.actions)
            if self._choices
            else gym.spaces.Box(self._low, self._high, dtype=np.float32)
        )
        self._copies: Copies | None = None
        self._key = jax.random.key(0)

    def __deepcopy__(self, memo: dict[int, Any]) -> JaxEnv:
        """Functions are shared, so that copies share what is compiled of them."""
        other = object.__new__(JaxEnv)
        other.__dict__.update(self.__dict__)
        return other

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """A fresh episode."""
        super().reset(seed=seed)
        own = int(self.np_random.integers(2**63)) if seed is None else seed
        self._copies, self._key = _begin(self.jax_environment, jnp.asarray(keys_of([own])))
        return np.array(self._copies.seen[0]), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """An action in the environment's own units, or its number."""
        if self._copies is None:
            raise DepoError("step was called before reset")
        if self._choices:
            unit = np.eye(self._choices[0])[int(action)]
        else:
            unit = 2.0 * (np.asarray(action) - self._low) / (self._high - self._low) - 1.0
        own = unit.astype(np.float32)[None]
        self._copies, moved, self._key = _step(self.jax_environment, self._copies, own, self._key)
        reached, reward, terminated, truncated = (np.asarray(x[0]) for x in moved[:4])
        return np.array(reached), float(reward), bool(terminated), bool(truncated), {}


class JaxVectorEnv(gym.vector.VectorEnv):
    """Many copies at once, with same-step autoreset; actions in [−1,1]ⁿ or one-hot."""

    metadata = {"autoreset_mode": gym.vector.AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(self, environment: JaxEnvironment, num_envs: int):
        self.environment, self.num_envs = environment, num_envs
        self.single_observation_space = _observations(environment)
        self.single_action_space = gym.spaces.Box(-1.0, 1.0, (environment.actions,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._copies: Copies | None = None
        self._key = jax.random.key(0)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Fresh episodes everywhere; ``seed`` is a number or one for each copy."""
        if isinstance(seed, list | tuple):
            seeds = np.array([int(s) for s in seed], np.uint64)
        else:
            super().reset(seed=seed)
            seeds = self.np_random.integers(2**63, size=self.num_envs, dtype=np.uint64)
        self._copies, self._key = _begin(self.environment, jnp.asarray(keys_of(seeds)))
        return np.array(self._copies.seen), {}

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Move every copy; ended ones restart and leave their last state in ``final_obs``."""
        if self._copies is None:
            raise DepoError("step was called before reset")
        own = np.asarray(actions, np.float32)
        self._copies, moved, self._key = _step(self.environment, self._copies, own, self._key)
        terminated, truncated = np.array(moved.terminated), np.array(moved.truncated)
        ended = terminated | truncated
        info: dict[str, Any] = {}
        if ended.any():
            final = np.full(self.num_envs, None, dtype=object)
            reached = np.asarray(moved.reached)
            for i in np.flatnonzero(ended):
                final[i] = reached[i]
            info = {"final_obs": final, "_final_obs": ended, "final_info": {}}
        reward = np.asarray(moved.reward, np.float64)
        return np.array(self._copies.seen), reward, terminated, truncated, info


def _observations(environment: JaxEnvironment) -> gym.spaces.Box:
    seen, _ = jax.eval_shape(environment.reset, jax.random.key(0))
    return gym.spaces.Box(-np.inf, np.inf, seen.shape, np.float32)


@eqx.filter_jit
def _begin(environment: JaxEnvironment, key: Any) -> tuple[Copies, Any]:
    """Fresh episodes, and the key of what is random in their steps."""
    return begin(environment, key), jax.random.fold_in(jax.random.wrap_key_data(key[0]), STEPS)


@eqx.filter_jit
def _step(
    environment: JaxEnvironment, copies: Copies, action: Any, key: Any
) -> tuple[Copies, Moved, Any]:
    after, own = jax.random.split(key)
    return *step(environment, copies, action, own), after

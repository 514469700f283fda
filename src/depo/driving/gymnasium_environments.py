"""Driving as Gymnasium environments: one ego, or many at once in one compiled call."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.vector.utils import batch_space

from depo.core.errors import DepoError
from depo.driving.environment import DrivingEnvironment, Ego, Outcome, Step
from depo.driving.opening import open_environment
from depo.driving.rendering import draw
from depo.driving.settings import DrivingSettings
from depo.driving.surroundings import FEATURES
from depo.driving.traffic.recording import Recording

STATES = gym.spaces.Box(-np.inf, np.inf, (len(FEATURES),), np.float32)
ACTIONS = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)


class DrivingEnv(gym.Env[np.ndarray, np.ndarray]):
    """One ego in recorded traffic; keyword arguments are the fields of ``DrivingSettings``.

    ``recording`` may also be a :class:`Recording`. Information beside a step: ``vehicle``,
    ``frame`` and the flags ``arrived``, ``collided``, ``off_road``.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012

    def __init__(
        self,
        render_mode: str | None = None,
        recording: str | Recording = "",
        **settings: Any,
    ):
        self.render_mode = render_mode
        self.settings, given = _settings(recording, settings)
        self.environment = open_environment(self.settings, given)
        self.metadata = type(self).metadata | {"feature_names": self.environment.features}
        self.observation_space, self.action_space = STATES, ACTIONS
        self._choice = np.asarray(self.environment.choice)
        self._starts = np.asarray(self.environment.start_state)
        self._ego: Ego | None = None
        self._path: list[tuple[float, float]] = []

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """In the place of a vehicle drawn from the part, or of ``options={"vehicle": n}``."""
        super().reset(seed=seed)
        drawn = int(self.np_random.choice(self._choice))
        vehicle = int((options or {}).get("vehicle", drawn))
        self._ego = jax.tree.map(np.asarray, self.environment.begin_one(vehicle))
        self._path = [self._place()]
        state = np.array(self._starts[vehicle])
        return state, self._about() | dict.fromkeys(("arrived", "collided", "off_road"), False)

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Move; reward 1 on arrival."""
        if self._ego is None:
            raise DepoError("step was called before reset")
        action = np.asarray(action, np.float32)[None]
        done = drive(self.environment, self._ego, action)
        self._ego, state, outcome = jax.tree.map(np.asarray, done)
        self._path.append(self._place())
        arrived, collided, off_road, late = (bool(flag[0]) for flag in outcome)
        ends = self.settings.arrival == "end"
        terminated = collided or off_road or (arrived and ends)
        truncated = late or (arrived and not ends)
        flags = {"arrived": arrived, "collided": collided, "off_road": off_road}
        return np.array(state[0]), float(arrived), terminated, truncated, self._about() | flags

    def render(self) -> np.ndarray | None:
        """The road from above, around the ego and its path."""
        if self.render_mode != "rgb_array" or self._ego is None:
            return None
        return draw(self.environment, self._ego, np.array(self._path))

    def _about(self) -> dict[str, Any]:
        assert self._ego is not None
        scene = self.environment.scene
        return {
            "vehicle": int(self._ego.vehicle[0]),
            "frame": int(self._ego.frame[0]) + scene.first_frame,
        }

    def _place(self) -> tuple[float, float]:
        assert self._ego is not None
        return float(self._ego.pose.x[0]), float(self._ego.pose.y[0])


class DrivingVectorEnv(gym.vector.VectorEnv):
    """Many egos at once, with same-step autoreset; arguments as of :class:`DrivingEnv`."""

    metadata = {"autoreset_mode": gym.vector.AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
        recording: str | Recording = "",
        **settings: Any,
    ):
        del render_mode
        if max_episode_steps is not None:
            settings = {"horizon": max_episode_steps} | settings
        self.settings, given = _settings(recording, settings)
        self.environment = open_environment(self.settings, given)
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = STATES, ACTIONS
        self.observation_space = batch_space(STATES, num_envs)
        self.action_space = batch_space(ACTIONS, num_envs)
        self._ego: Ego | None = None

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Fresh episodes everywhere; ``seed`` is a number or one for each copy."""
        if isinstance(seed, list | tuple):
            seeds = np.array([int(s) for s in seed], np.uint64)
        else:
            super().reset(seed=seed)
            seeds = self.np_random.integers(2**63, size=self.num_envs, dtype=np.uint64)
        keys = np.stack([seeds >> np.uint64(32), seeds & np.uint64(2**32 - 1)], axis=1)
        self._ego, state = reset(self.environment, jnp.asarray(keys.astype(np.uint32)))
        return np.array(state), {}

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Move every ego; ended ones restart and leave their last state in ``final_obs``."""
        if self._ego is None:
            raise DepoError("step was called before reset")
        done = step(self.environment, self._ego, np.asarray(actions, np.float32))
        self._ego = done.ego
        terminated, truncated = np.array(done.terminated), np.array(done.truncated)
        ended = terminated | truncated
        info: dict[str, Any] = {
            name: np.array(getattr(done.outcome, name))
            for name in ("arrived", "collided", "off_road")
        }
        if ended.any():
            final = np.full(self.num_envs, None, dtype=object)
            reached = np.asarray(done.reached)
            for i in np.flatnonzero(ended):
                final[i] = reached[i]
            info |= {"final_obs": final, "_final_obs": ended, "final_info": {}}
        reward = np.asarray(done.reward, np.float64)
        return np.array(done.state), reward, terminated, truncated, info


def _settings(
    recording: str | Recording, settings: dict[str, Any]
) -> tuple[DrivingSettings, Recording | None]:
    if isinstance(recording, Recording):
        return DrivingSettings(recording=recording.name, **settings), recording
    return DrivingSettings(recording=recording, **settings), None


@eqx.filter_jit
def reset(environment: DrivingEnvironment, key: Any) -> tuple[Ego, Any]:
    """Compiled: :meth:`DrivingEnvironment.reset`."""
    return environment.reset(key)


@eqx.filter_jit
def step(environment: DrivingEnvironment, ego: Ego, action: Any) -> Step:
    """Compiled: :meth:`DrivingEnvironment.step`."""
    return environment.step(ego, action)


@eqx.filter_jit
def drive(environment: DrivingEnvironment, ego: Ego, action: Any) -> tuple[Ego, Any, Outcome]:
    """Compiled: :meth:`DrivingEnvironment.drive`."""
    return environment.drive(ego, action)

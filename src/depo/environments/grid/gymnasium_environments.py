"""The grid world as Gymnasium environments, one copy or many at once."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector.utils import batch_space

from depo.core.errors import DepoError
from depo.environments.grid.gridworld import GridWorld, GridWorldSettings


class GridWorldEnv(gym.Env[np.int64, int | np.integer]):
    """One grid world; keyword arguments are the fields of ``GridWorldSettings``.

    >>> env = GridWorldEnv(k=4)
    >>> env.observation_space.n, env.action_space.n
    (np.int64(36), np.int64(16))
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012

    def __init__(self, render_mode: str | None = None, **settings: Any):
        self.render_mode = render_mode
        self.world = GridWorld(GridWorldSettings(**settings))
        self.observation_space = gym.spaces.Discrete(self.world.states)
        self.action_space = gym.spaces.Discrete(self.world.actions)
        self._start = self.world.start_distribution
        self._state, self._elapsed = int(self.world.starts[0]), 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.int64, dict[str, Any]]:
        """A start drawn from the grid world's distribution, or ``options={"state": n}``."""
        super().reset(seed=seed)
        given = (options or {}).get("state")
        if given is not None and given not in self.observation_space:
            raise DepoError(f"state {given} is none of the {self.world.states} of the grid world")
        drawn = self.np_random.choice(self.world.states, p=self._start)
        self._state, self._elapsed = int(drawn if given is None else given), 0
        return np.int64(self._state), {}

    def step(self, action: int | np.integer) -> tuple[np.int64, float, bool, bool, dict[str, Any]]:
        """Move; reward 1 and termination at the goal, truncation at the horizon."""
        self._state = int(self.world.successor[self._state, int(action)])
        self._elapsed += 1
        arrived = self._state == self.world.goal
        cut = not arrived and self._elapsed >= self.world.horizon
        return np.int64(self._state), float(arrived), arrived, cut, {}

    def render(self) -> str | None:
        """The map as text: A agent, G goal, # wall."""
        if self.render_mode != "ansi":
            return None
        size = self.world.settings.size
        symbols = np.where(self.world.wall, "#", ".")
        symbols[self.world.cell(self.world.goal)] = "G"
        symbols[self.world.cell(self._state)] = "A"
        return "\n".join(" ".join(symbols[:, y]) for y in range(size - 1, -1, -1)) + "\n"


class GridWorldVectorEnv(gym.vector.VectorEnv):
    """Many grid worlds stepped by one table look-up, with same-step autoreset."""

    metadata = {"autoreset_mode": gym.vector.AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(self, num_envs: int = 1, render_mode: str | None = None, **settings: Any):
        del render_mode
        self.num_envs = num_envs
        self.world = GridWorld(GridWorldSettings(**settings))
        self.single_observation_space = gym.spaces.Discrete(self.world.states)
        self.single_action_space = gym.spaces.Discrete(self.world.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._start = self.world.start_distribution
        self._state = np.zeros(num_envs, np.int64)
        self._elapsed = np.zeros(num_envs, np.int64)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Fresh episodes everywhere; ``seed`` is a number or one for each copy."""
        if isinstance(seed, list | tuple):
            seed = int(np.random.SeedSequence([int(s) for s in seed]).generate_state(1)[0])
        super().reset(seed=seed)
        self._state, self._elapsed = self._draw(self.num_envs), np.zeros(self.num_envs, np.int64)
        return self._state.copy(), {}

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Move every copy; ended ones restart and leave their last state in ``final_obs``."""
        reached = self.world.successor[self._state, np.asarray(actions)].astype(np.int64)
        self._elapsed += 1
        arrived = reached == self.world.goal
        cut = ~arrived & (self._elapsed >= self.world.horizon)
        ended = arrived | cut
        info: dict[str, Any] = {}
        if ended.any():
            final = np.full(self.num_envs, None, dtype=object)
            final[ended] = reached[ended]
            info = {"final_obs": final, "_final_obs": ended, "final_info": {}}
        self._state = np.where(ended, self._draw(self.num_envs), reached)
        self._elapsed[ended] = 0
        return self._state.copy(), arrived.astype(np.float64), arrived, cut, info

    def _draw(self, count: int) -> np.ndarray:
        return self.np_random.choice(self.world.states, size=count, p=self._start)

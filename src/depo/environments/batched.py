"""Batches of Gymnasium environments (``VectorEnv``): as one environment, and as any number."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

Batch = Callable[[], VectorEnv]
"""Makes a batch; each call another, equal one."""


def restarts_at_once(batch: VectorEnv) -> bool:
    """Whether copies begin anew in the step that ends them, as :class:`Rows` have it."""
    return batch.metadata.get("autoreset_mode") == AutoresetMode.SAME_STEP


class FirstOfBatch(gym.Env):
    """The first copy of a batch on its own; the others do as it does and are not looked at."""

    def __init__(self, batch: VectorEnv):
        self._batch = batch
        self.observation_space = batch.single_observation_space
        self.action_space = batch.single_action_space
        self.metadata = dict(batch.metadata)
        self.render_mode = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """A fresh episode of all copies."""
        super().reset(seed=seed)
        own = int(self.np_random.integers(2**31)) if seed is None else seed
        seeds: Any = [own + i for i in range(self._batch.num_envs)]
        seen, info = self._batch.reset(seed=seeds)
        return self._first(seen), self._of_first(info)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """The same action everywhere."""
        space, count = self.action_space, self._batch.num_envs
        empty: Any = create_empty_array(space, count)
        actions = concatenate(space, [action] * count, empty)
        seen, reward, terminated, truncated, info = self._batch.step(actions)
        ended = bool(terminated[0]), bool(truncated[0])
        if any(ended) and "final_obs" in info:  # what is seen is of the next episode
            last, about = info["final_obs"][0], self._of_first(info.get("final_info", {}))
            return last, float(reward[0]), *ended, about
        return self._first(seen), float(reward[0]), *ended, self._of_first(info)

    def close(self) -> None:
        """Close all copies."""
        self._batch.close()

    def _first(self, seen: Any) -> Any:
        return next(iter(iterate(self._batch.observation_space, seen)))

    def _of_first(self, info: dict[str, Any]) -> dict[str, Any]:
        """What the first copy reports of a step, as far as it is numbers."""
        return {
            name: said[0]
            for name, said in info.items()
            if isinstance(said, np.ndarray) and said.dtype != object and not name.startswith("_")
        }


class Rows(VectorEnv):
    """Any number of copies, out of as many batches as they need; idle rows are not looked at."""

    def __init__(self, make: Batch, num_envs: int):
        first = make()
        count = math.ceil(num_envs / first.num_envs)
        self._batches = [first, *(make() for _ in range(count - 1))]
        self._size, self.num_envs = first.num_envs, num_envs
        self.metadata = dict(first.metadata)
        self.single_observation_space = first.single_observation_space
        self.single_action_space = first.single_action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Fresh episodes everywhere; ``seed`` is one for each copy, or a number."""
        if isinstance(seed, list | tuple):
            seeds = [int(own) for own in seed]
        else:
            super().reset(seed=seed)
            seeds = self.np_random.integers(2**31, size=self.num_envs).tolist()
        idle = len(self._batches) * self._size - self.num_envs
        seeds += [seeds[-1] + 1 + i for i in range(idle)]
        parts = [batch.reset(seed=own)[0] for batch, own in self._split(seeds)]
        return np.concatenate(parts)[: self.num_envs], {}

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Move every copy; idle rows do as the last one."""
        idle = len(self._batches) * self._size - self.num_envs
        filled = np.concatenate([actions, np.repeat(actions[-1:], idle, axis=0)])
        moved = [batch.step(own) for batch, own in self._split(filled)]
        columns = zip(*(part[:4] for part in moved), strict=True)
        seen, reward, terminated, truncated = (
            np.concatenate(column)[: self.num_envs] for column in columns
        )
        infos = [part[4] for part in moved]
        info = self._joined(infos)
        if (terminated | truncated).any():
            info["final_obs"] = self._final(infos)
            info["final_info"] = self._joined([own.get("final_info", {}) for own in infos])
        return seen, reward, terminated, truncated, info

    def close_extras(self, **arguments: Any) -> None:
        """Close all batches."""
        for batch in self._batches:
            batch.close(**arguments)

    def _split(self, rows: Any) -> list[tuple[VectorEnv, Any]]:
        return [
            (batch, rows[i * self._size : (i + 1) * self._size])
            for i, batch in enumerate(self._batches)
        ]

    def _joined(self, infos: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """What copies report, as far as it is numbers; zeros where a batch reports nothing."""
        words = {
            word: said.dtype
            for info in infos
            for word, said in info.items()
            if isinstance(said, np.ndarray) and said.dtype != object
        }
        nothing = np.zeros(self._size)
        return {
            word: np.concatenate([info.get(word, nothing.astype(kind)) for info in infos])[
                : self.num_envs
            ]
            for word, kind in words.items()
        }

    def _final(self, infos: Sequence[dict[str, Any]]) -> np.ndarray:
        """The last observations of copies that ended."""
        final = np.full(len(infos) * self._size, None, dtype=object)
        for i, info in enumerate(infos):
            for j, last in enumerate(info.get("final_obs", ())):
                final[i * self._size + j] = last
        return final[: self.num_envs]

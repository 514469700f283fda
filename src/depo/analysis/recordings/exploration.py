"""A short random exploration of an environment: what its states look like, and how they move."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box

from depo.analysis.recordings.moves import Moves
from depo.core.seeds import derived_seed
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.vector_stepper import VectorStepper

STEPS, RESETS = 2_000, 32
"""How much is explored: a number of steps rather than of seconds, so that a check says the same
every time. MuJoCo takes half a second."""
LONGEST, FEWEST = 30.0, 25
"""Seconds after which an environment whose reset or step takes long has been explored enough, and
the steps of every copy that are taken all the same."""
COPIES, COMPILED_COPIES = 4, 32
HELD = 8
"""Every second copy holds an action for this many steps, and so gets further."""
EXPLORING = 6
"""The word from which the seeds of exploration are derived; others are in ``core.seeds``."""


@dataclass(frozen=True, eq=False)
class Explored:
    """What random actions did, and what the environment says of itself."""

    moves: Moves
    actions: np.ndarray
    """Of every step; no columns where they are no vectors."""
    low: np.ndarray
    high: np.ndarray
    limit: int | None
    """Steps after which it cuts an episode, where it does."""
    seconds: float | None
    """Of a step, where it says so."""


def explore(
    environment: GymnasiumEnvironment,
    steps: int = STEPS,
    resets: int = RESETS,
    longest: float = LONGEST,
) -> Explored:
    """Random actions from many starts; the same every time unless it takes too long, and nobody's
    random stream moves."""
    until = time.monotonic() + longest
    with _streams_kept():
        env = environment.make()
        try:
            space, limit, seconds = env.observation_space, _limit(env), _seconds(env)
        finally:
            env.close()
        copies = COPIES if environment.compiled() is None else COMPILED_COPIES
        stepper = environment.vector(copies)
        try:
            starts = [
                stepper.reset([derived_seed(EXPLORING, i, k) for k in range(copies)])
                for i in range(max(1, resets // copies))
                if not i or time.monotonic() < until
            ]
            played = _play(stepper, starts, max(1, steps // copies), until)
        finally:
            stepper.close()
    bounds = (space.low, space.high) if isinstance(space, Box) else (np.array([]),) * 2
    low, high = (bound.astype(np.float64) for bound in bounds)  # of bytes, differences are bytes
    states, reached, actions, begun = played
    moves = Moves(*(part.astype(np.float64) for part in (states, reached, begun)))
    return Explored(moves, actions, low.ravel(), high.ravel(), limit, seconds)


def _play(
    stepper: VectorStepper, starts: list[np.ndarray], steps: int, until: float
) -> tuple[np.ndarray, ...]:
    """(s, s', a) of all steps, and all starts."""
    state, copies = starts[-1], len(starts[-1])
    draw = _actions(stepper, copies)
    rows, begun = [], list(starts)
    for taken in range(steps):
        if taken >= FEWEST and time.monotonic() > until:
            break
        action = next(draw)
        after, reached, _, terminated, truncated = stepper.step(action)
        rows.append((state, reached, action.reshape(copies, -1)))
        begun.append(after[terminated | truncated])
        state = after
    columns = (np.concatenate(column) for column in zip(*rows, strict=True))
    return (*columns, np.concatenate(begun))


def _actions(stepper: VectorStepper, copies: int) -> Iterator[np.ndarray]:
    """Random actions for all copies, every second one's held for a while."""
    space = stepper._envs.single_action_space
    generator = np.random.default_rng(EXPLORING)
    space.seed(EXPLORING)
    held = np.arange(copies) % 2 == 1
    action: np.ndarray | None = None
    step = 0
    while True:
        fresh = _drawn(space, generator, copies)
        keep = held & (step % HELD != 0) if action is not None else np.zeros(copies, bool)
        if action is not None:
            fresh[keep] = action[keep]
        action, step = fresh, step + 1
        yield action


def _drawn(space: gym.Space, generator: np.random.Generator, copies: int) -> np.ndarray:
    if isinstance(space, Box) and space.is_bounded():
        drawn = generator.uniform(space.low, space.high, (copies, *space.shape))
        return drawn.astype(space.dtype)
    return np.stack([np.asarray(space.sample()) for _ in range(copies)])


def _limit(env: gym.Env) -> int | None:
    return None if env.spec is None else env.spec.max_episode_steps


def _seconds(env: gym.Env) -> float | None:
    """MuJoCo's tasks call it dt, Gymnasium's classic ones tau."""
    for name in ("dt", "tau"):
        found: Any = getattr(env.unwrapped, name, None)
        if isinstance(found, int | float) and found > 0:
            return float(found)
    return None


@contextmanager
def _streams_kept() -> Iterator[None]:
    """Global random streams, which somebody's environment may draw from, stay where they are."""
    legacy, plain = np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(legacy)  # noqa: NPY002
        random.setstate(plain)

"""State-only recordings of controllers that were written down, for tasks no preset knows:
Gymnasium's own, and those of ``made_up.py``.

    python benchmarks/controllers.py CartPole-v1 cartpole.npz

Nothing here was learned: feedback, swinging up by energy, a swimmer's wave, and the heuristics that
Gymnasium brings along (``pip install 'gymnasium[box2d]'``). Episodes that a controller misses are
left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from made_up import LEAST, TASKS

from depo.data import Demonstrations

Controller = Callable[[np.ndarray, int], Any]
"""The action for a state, and how many steps of the episode went before."""
FIRST_SEED, EPISODES, MOST = 10_000, 10, 200


def cart_pole(state: np.ndarray, step: int) -> int:
    """Push to the side to which the pole will fall."""
    return int(np.array([0.3, 0.8, 6.0, 1.5]) @ state > 0)


def double_pendulum(state: np.ndarray, step: int) -> np.ndarray:
    """The linear regulator of the linearised dynamics."""
    place, sines, cosines, speeds = state[:1], state[1:3], state[3:5], state[5:8]
    known = np.concatenate([place, np.arctan2(sines, cosines), speeds])
    return -np.array([0.21, 1.81, 5.57, 0.31, 0.9, 0.85]) @ known[:, None]


def pendulum(state: np.ndarray, step: int) -> np.ndarray:
    """Pump energy until it is up, then hold it there."""
    height, side, speed = state
    if height > 0.9:
        return np.array([-10.0 * np.arctan2(side, height) - 3.0 * speed])
    missing = 5.0 - (speed**2 / 6.0 + 5.0 * height)
    return np.array([2.0 * missing * (1.0 if speed >= 0 else -1.0)])


def acrobot(state: np.ndarray, step: int) -> int:
    """Turn the elbow the way it turns."""
    return 2 if state[5] > 0 else 0


def mountain_car(state: np.ndarray, step: int) -> np.ndarray:
    """Push the way it rolls."""
    return np.array([1.0 if state[1] >= 0 else -1.0])


def reacher(state: np.ndarray, step: int) -> np.ndarray:
    """Torques that pull the fingertip to the target, braked."""
    cosines, sines, speeds, away = state[:2], state[2:4], state[6:8], state[8:10]
    cosine, sine = cosines[0] * cosines[1] - sines[0] * sines[1], sines @ cosines[::-1]
    upper, lower = 0.1 * np.array([-sines[0], cosines[0]]), 0.11 * np.array([-sine, cosine])
    return -20.0 * np.array([upper + lower, lower]) @ away - 0.1 * speeds


def swimmer(state: np.ndarray, step: int) -> np.ndarray:
    """A wave that travels along the body."""
    wanted = 0.88 * np.sin(0.166 * step + np.array([0.0, -0.89]))
    return 5.0 * (wanted - state[1:3]) - 0.5 * state[6:8]


def lander(env: gym.Env) -> Controller:
    """Gymnasium's own."""
    from gymnasium.envs.box2d.lunar_lander import heuristic

    return lambda state, step: heuristic(env.unwrapped, state)


def biped(env: gym.Env) -> Controller:
    """Gymnasium's own, which remembers in which phase of a step it is."""
    from gymnasium.envs.box2d.bipedal_walker import BipedalWalkerHeuristics

    walks = BipedalWalkerHeuristics()
    return lambda state, step: walks.step_heuristic(state).copy()


class Expert(NamedTuple):
    """Whoever is recorded; a new controller for each episode."""

    controller: Callable[[gym.Env], Controller]
    least: float
    """The least return of an episode that is kept."""


def always(controller: Controller) -> Callable[[gym.Env], Controller]:
    """The same in every episode."""
    return lambda env: controller


EXPERTS = {
    "CartPole-v1": Expert(always(cart_pole), 475.0),
    "Acrobot-v1": Expert(always(acrobot), -100.0),
    "Pendulum-v1": Expert(always(pendulum), -400.0),
    "MountainCarContinuous-v0": Expert(always(mountain_car), 85.0),
    "InvertedDoublePendulum-v5": Expert(always(double_pendulum), 9_000.0),
    "Reacher-v5": Expert(always(reacher), -15.0),
    "Swimmer-v5": Expert(always(swimmer), 330.0),
    "LunarLander-v3": Expert(lander, 230.0),
    "BipedalWalker-v3": Expert(biped, 280.0),
    **{task: Expert(always(made.controller), LEAST[task]) for task, made in TASKS.items()},
}


def play(env: gym.Env, controller: Controller, seed: int) -> tuple[np.ndarray, float]:
    """The states of an episode, and its return."""
    state, _ = env.reset(seed=seed)
    states, total, over = [state], 0.0, False
    while not over:
        action = controller(state, len(states) - 1)
        if isinstance(env.action_space, gym.spaces.Box):
            action = np.clip(action, env.action_space.low, env.action_space.high).astype(np.float32)
        state, reward, ended, cut, _ = env.step(action)
        states.append(state)
        total, over = total + float(reward), ended or cut
    return np.array(states, np.float32), total


def recorded(task: str, episodes: int = EPISODES) -> Demonstrations:
    """As many good episodes of a task's controller."""
    expert, kept = EXPERTS[task], []
    env = TASKS[task]() if task in TASKS else gym.make(task)
    for seed in range(FIRST_SEED, FIRST_SEED + MOST):
        states, total = play(env, expert.controller(env), seed)
        if total >= expert.least:
            kept.append((states, total))
        if len(kept) == episodes:
            break
    return Demonstrations.from_episodes(
        [states for states, _ in kept],
        episode_returns=[total for _, total in kept],
        metadata={"environment": task, "source": "a controller that was written down"},
    )


def main() -> None:
    """Record, and say how well."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("task", choices=sorted(EXPERTS))
    parser.add_argument("file")
    parser.add_argument("--episodes", type=int, default=EPISODES)
    given = parser.parse_args()
    demos = recorded(given.task, given.episodes)
    demos.save(given.file)
    print(f"{given.file}: {demos}, mean return {np.mean(demos.episode_returns):.1f}")


if __name__ == "__main__":
    main()

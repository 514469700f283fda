"""State-only recordings of known controllers for two tasks with discrete actions.

    python benchmarks/discrete_experts.py CartPole-v1 cartpole.npz
    python benchmarks/recipe.py --tasks CartPole-v1 --demos cartpole.npz --presets fast \
        --methods depo gaifo bco --seeds 0 1 2 3 4 --steps 10000 --runs runs/cp --out cp.csv

CartPole: a linear feedback that balances for 500 steps. LunarLander (needs
``pip install 'gymnasium[box2d]'``): the heuristic that Gymnasium brings along, without the landings
that it misses.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import gymnasium as gym
import numpy as np

from depo.data import Demonstrations

Controller = Callable[[gym.Env, np.ndarray], int]
GAINS = np.array([0.3, 0.8, 6.0, 1.5])
"""Of place, velocity, angle and its velocity."""
FIRST_SEED, EPISODES = 10_000, 10


def balance(_: gym.Env, state: np.ndarray) -> int:
    """Push to the side to which the pole will fall."""
    return int(GAINS @ state > 0)


def land(env: gym.Env, state: np.ndarray) -> int:
    """Gymnasium's own."""
    from gymnasium.envs.box2d.lunar_lander import heuristic

    return int(heuristic(env.unwrapped, state))


EXPERTS: dict[str, tuple[Controller, float]] = {
    "CartPole-v1": (balance, 475.0),
    "LunarLander-v3": (land, 230.0),
}
"""Task: controller, and the least return of an episode that is kept."""


def play(env: gym.Env, controller: Controller, seed: int) -> tuple[np.ndarray, float]:
    """The states of an episode, and its return."""
    state, _ = env.reset(seed=seed)
    states, total, over = [state], 0.0, False
    while not over:
        state, reward, ended, cut, _ = env.step(controller(env, state))
        states.append(state)
        total, over = total + float(reward), ended or cut
    return np.array(states, np.float32), total


def main() -> None:
    """Play until there are enough good episodes, then write them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("task", choices=sorted(EXPERTS))
    parser.add_argument("file")
    given = parser.parse_args()
    controller, least = EXPERTS[given.task]
    env, seed, kept = gym.make(given.task), FIRST_SEED, []
    while len(kept) < EPISODES:
        states, total = play(env, controller, seed)
        seed += 1
        if total >= least:
            kept.append((states, total))
    demos = Demonstrations(
        observations=np.concatenate([states for states, _ in kept]),
        episode_lengths=np.array([len(states) for states, _ in kept]),
        episode_returns=np.array([total for _, total in kept]),
        metadata={"environment": given.task, "source": f"{controller.__name__}, a controller"},
    )
    demos.save(given.file)
    print(
        f"{given.file}: {EPISODES} of {seed - FIRST_SEED} episodes, "
        f"mean return {np.mean([total for _, total in kept]):.0f}"
    )


if __name__ == "__main__":
    main()

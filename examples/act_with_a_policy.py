"""Train in an environment of your own, given as an object; then act with what was learned."""

import tempfile
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

import depo


class Corridor(gym.Env[Any, Any]):
    """Six cells in a row; action 1 goes right, action 0 left; the last cell is the goal."""

    observation_space = gym.spaces.Discrete(6)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        """Begin in the first cell."""
        super().reset(seed=seed)
        self.cell = 0
        return self.cell, {}

    def step(self, action: np.int64) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """One cell to the left or to the right."""
        self.cell = min(max(self.cell + (1 if action == 1 else -1), 0), 5)
        return self.cell, float(self.cell == 5), self.cell == 5, False, {}


def main(folder: Path) -> None:
    """Imitate walks of states, without any actions, until it is good enough."""
    env = gym.wrappers.TimeLimit(Corridor(), 20)
    run = depo.train(
        "depo",
        env=env,
        demos=depo.Demonstrations.from_episodes([np.arange(6)] * 5),
        steps=6_400,
        overrides={"hidden": 32, "evaluate_every": 2, "checkpoint_every": 2},
        callbacks=[depo.StopAtScore("return", 1.0)],
        out=folder / "corridor",
    )
    print(run)
    policy = depo.load_policy(run.path / "policy" / "seed-0")
    print(policy)
    cell, _ = env.reset(seed=0)
    walked, over = [cell], False
    while not over:
        cell, _, terminated, truncated, _ = env.step(policy.act(cell))
        walked.append(cell)
        over = terminated or truncated
    print("walked", walked, "planned from the start:", policy.plan(0))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(temporary))

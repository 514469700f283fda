"""Goal-conditioned planning: PointMaze from states alone, judged at goals that nobody has shown.

    pip install -e '.[robotics]'
    python benchmarks/goals.py --out runs/goals --csv docs/results/goals/scores.csv

The point is pushed by a force; the goal is one of 15 cells, with noise. Demonstrations and training
have goals in 8 cells, every second one, the scores are of the other 7. Then the planner is carried
to inverted actions, where only a skill is learned. Seeds from 100 on, as all that is tuned.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

import depo
from depo.environments.flattening import Flattening
from depo.evaluation.vector_rollouts import Player, score

ENV = "gymnasium_robotics:PointMaze_Open-v3"
LIMIT, SHOWN, LEARNED = 150, 60, 40
METHODS = ("depo", "gaifo", "bco")
SMALL = {"demo_episodes": LEARNED, "hidden": 64, "minibatch": 64}
SMALL_SKILL = {"skill_hidden": 64}
"""The same for all: minutes on a laptop."""
COLUMNS = ("method", "goals", "seed", "env_steps", "success", "return", "reach_error_relative")


def maze(goals: str, others: str) -> list[list[int | str]]:
    """A room of 3 × 5 cells: 'c' is a start and a goal, 'r' only a start."""
    first, second = (list((pair * 3)[:5]) for pair in (goals + others, others + goals))
    rows = [[1, *row, 1] for row in (first, second, first)]
    return [[1] * 7, *rows, [1] * 7]


def arguments(goals: str) -> dict[str, Any]:
    """Of the environment with goals in the cells that are shown, or in the others."""
    own = maze("c", "r") if goals == "shown" else maze("r", "c")
    return {"maze_map": own, "max_episode_steps": LIMIT}


def demonstrations() -> depo.Demonstrations:
    """States of a controller that pushes towards the goal and brakes; actions are thrown away."""
    env = gym.make(ENV, **arguments("shown"))
    flat = Flattening.of(env.observation_space)
    episodes, returns = [], []
    for number in range(SHOWN):
        seen, _ = env.reset(seed=10_000 + number)
        states, gained, ended = [flat.vector(seen)], 0.0, False
        while not ended:
            place, velocity = np.split(seen["observation"], 2)
            force = 3.0 * (seen["desired_goal"] - place) - 1.5 * velocity
            seen, reward, terminated, truncated, _ = env.step(
                np.clip(force, -1, 1).astype(np.float32)
            )
            states.append(flat.vector(seen))
            gained, ended = gained + float(reward), terminated or truncated
        episodes.append(np.array(states, np.float32))
        returns.append(gained)
    made = depo.Demonstrations.from_episodes(episodes, feature_names=flat.names)
    return dataclasses.replace(made, episode_returns=np.array(returns))


def judged(run: depo.Run, method: str, episodes: int) -> list[dict[str, Any]]:
    """A finished run's scores, at goals that were shown and at the others."""
    rows = []
    for goals in ("shown", "unseen"):
        here = run.job.environment
        there = dataclasses.replace(here.settings, arguments=tuple(arguments(goals).items()))
        environment = dataclasses.replace(here, settings=there).gymnasium()
        for seed in run.job.seeds:
            policy, player = run.policy(seed), Player(environment, 1_000 + seed, episodes)
            scores = score(policy.model, player.play(policy.model))
            player.close()
            about = {"method": method, "goals": goals, "seed": seed}
            rows.append({**about, "env_steps": policy.origin.env_steps, **scores})
    return rows


def main() -> None:
    """Train, transfer, judge; a row for each policy and kind of goals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("runs/goals"))
    parser.add_argument("--csv", type=Path, default=Path("goals.csv"))
    parser.add_argument("--steps", type=int, default=15_000)
    parser.add_argument("--transfer-steps", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--episodes", type=int, default=50)
    asked = parser.parse_args()
    rows, seeds = [], {"seed": asked.seed, "seeds": asked.seeds}
    shown: dict[str, Any] = {"env": ENV, "env_args": arguments("shown"), "demos": demonstrations()}
    for method in asked.methods:
        run = depo.train(
            method,
            **shown,
            **seeds,
            preset="recipe",
            steps=asked.steps,
            overrides=SMALL | (SMALL_SKILL if method != "gaifo" else {}),
            out=asked.out / method,
        )
        rows += judged(run, method, asked.episodes)
        if method == "depo":
            out, steps = asked.out / "inverted", asked.transfer_steps
            moved = depo.transfer(
                run, dynamics="inverted", **seeds, steps=steps, overrides=SMALL_SKILL, out=out
            )
            rows += judged(moved, "transfer to inverted actions", asked.episodes)
        write(asked.csv, rows)


def write(path: Path, rows: list[dict[str, Any]], columns: Sequence[str] = COLUMNS) -> None:
    """As CSV."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        for row in rows:
            writer.writerow({k: f"{v:.4g}" if isinstance(v, float) else v for k, v in row.items()})


if __name__ == "__main__":
    main()

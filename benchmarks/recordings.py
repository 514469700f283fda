"""How good must recordings be? Number, noise, rate: the recipe on Hopper and on a maze with goals.

    python benchmarks/recordings.py --task hopper --runs runs/recordings --csv hopper.csv

Every row is one training with recordings that were made worse in one way; nothing else differs.
The maze needs `pip install -e '.[robotics]'`, and is judged at goals that nobody has shown.
Finished trainings are kept in the folder of runs and never repeated.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import goals
import numpy as np

import depo
from depo.core.files import write_bytes
from depo.data.importing.resampling import interpolated
from depo.data.shipped import load_demonstrations

COLUMNS = ("task", "recordings", "seed", "env_steps", "score", "worst", "reach_error_relative")
Episodes = list[np.ndarray]
Damage = Callable[[Episodes, np.random.Generator], Episodes]


def as_they_are(episodes: Episodes, generator: np.random.Generator) -> Episodes:
    """No damage."""
    return episodes


def noisy(share: float) -> Damage:
    """White noise on every state, of a share of each feature's deviation; goals are known."""

    def damage(episodes: Episodes, generator: np.random.Generator) -> Episodes:
        within = np.concatenate([episode - episode.mean(0) for episode in episodes])
        is_moving = np.abs(within).max(0) > 1e-6
        spread = share * is_moving * np.concatenate(episodes).std(0)
        return [e + spread * generator.standard_normal(e.shape) for e in episodes]

    return damage


def sparse(every: int) -> Damage:
    """Only every nth state is recorded; those between are interpolated, as `demos import` does."""

    def damage(episodes: Episodes, generator: np.random.Generator) -> Episodes:
        return [at_rate(e, np.arange(0, len(e), every), 1.0) for e in episodes]

    return damage


def at_rate(episode: np.ndarray, kept: np.ndarray, step: float) -> np.ndarray:
    """The states at some times, interpolated at all multiples of a step between them."""
    times = np.arange(kept[0], kept[-1] + 1e-9, step)
    return interpolated(kept.astype(float), episode[kept], times, np.inf).values


def wrong_rate(factor: float) -> Damage:
    """Recorded as many times as often as the environment steps, and taken as it is."""

    def damage(episodes: Episodes, generator: np.random.Generator) -> Episodes:
        return [at_rate(e, np.arange(len(e)), 1.0 / factor) for e in episodes]

    return damage


class Recordings(NamedTuple):
    """How many, and what was done to them; ``number`` is of a task's usual one."""

    number: float = 1.0
    damage: Damage = as_they_are


KINDS = {
    "as they are": Recordings(),
    "a quarter of them": Recordings(0.25),
    "half of them": Recordings(0.5),
    "two and a half times as many": Recordings(2.5),
    "noise of 1% of the deviation": Recordings(damage=noisy(0.01)),
    "noise of 3%": Recordings(damage=noisy(0.03)),
    "noise of 10%": Recordings(damage=noisy(0.1)),
    "every 2nd state, interpolated": Recordings(damage=sparse(2)),
    "every 5th state, interpolated": Recordings(damage=sparse(5)),
    "every 10th state, interpolated": Recordings(damage=sparse(10)),
    "recorded at half the rate, taken as it is": Recordings(damage=wrong_rate(0.5)),
    "recorded at twice the rate, taken as it is": Recordings(damage=wrong_rate(2.0)),
}


class Task(NamedTuple):
    """What is trained, on how many recordings, and how it is judged."""

    demos: Callable[[], depo.Demonstrations]
    usual: int
    steps: int
    given: dict[str, Any]
    overrides: dict[str, Any]
    judge: Callable[[depo.Run], dict[str, float]]


def last_evaluation(run: depo.Run) -> dict[str, float]:
    """Return as a share of the way from random to the expert."""
    row = run.final_scores()[0]
    return {
        "score": row["return_relative"],
        "worst": row["return_worst_episode"],
        "reach_error_relative": row["reach_error_relative"],
    }


def unseen_goals(run: depo.Run) -> dict[str, float]:
    """Success at goals that nobody has shown."""
    row = next(row for row in goals.judged(run, "depo", 50) if row["goals"] == "unseen")
    return {"score": row["success"], "reach_error_relative": row["reach_error_relative"]}


MAZE = {"env": goals.ENV, "env_args": goals.arguments("shown")}
TASKS = {
    "hopper": Task(
        lambda: load_demonstrations("hopper"), 4, 20_000, {"env": "hopper"}, {}, last_evaluation
    ),
    "maze": Task(
        goals.demonstrations, 20, 15_000, MAZE, goals.SMALL | goals.SMALL_SKILL, unseen_goals
    ),
}


def recordings(task: Task, kind: Recordings, seed: int) -> depo.Demonstrations:
    """As many of the task's as asked for, drawn by the seed, made worse."""
    demos, generator = task.demos(), np.random.default_rng([seed, 7])
    number = max(1, round(task.usual * kind.number))
    chosen = demos.select(sorted(generator.permutation(demos.episodes)[:number].tolist()))
    return depo.Demonstrations.from_episodes(
        [e.astype(np.float32) for e in kind.damage([*map(np.float64, chosen)], generator)],
        episode_returns=chosen.episode_returns,
        feature_names=chosen.feature_names,
    )


def trained(task: Task, kind: Recordings, seed: int, steps: int, out: Path) -> dict[str, Any]:
    """Train unless the folder has it; scores."""
    scores = out / "scores.json"
    if not scores.exists():
        demos = recordings(task, kind, seed)
        overrides = task.overrides | {"demo_episodes": demos.episodes}
        given = {"seed": seed, "steps": steps, "preset": "recipe", "progress": False}
        run = depo.train("depo", **task.given, **given, demos=demos, overrides=overrides, out=out)
        write_bytes(scores, json.dumps(task.judge(run) | {"env_steps": steps}).encode())
    return json.loads(scores.read_text())


def main() -> None:
    """Train what is not there yet; a row for each kind of recordings and seed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--task", choices=sorted(TASKS), required=True)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--csv", type=Path, required=True)
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=0)
    asked = parser.parse_args()
    task, rows = TASKS[asked.task], []
    for seed in asked.seeds:
        for name in asked.kinds:
            out = asked.runs / f"{asked.task}-{list(KINDS).index(name)}-{seed}"
            scores = trained(task, KINDS[name], seed, asked.steps or task.steps, out)
            rows.append({"task": asked.task, "recordings": name, "seed": seed, **scores})
            goals.write(asked.csv, rows, COLUMNS)


if __name__ == "__main__":
    main()

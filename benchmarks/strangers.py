"""The recipe on tasks that no preset names, from recordings of controllers that were written down.

    python benchmarks/strangers.py --runs runs/strangers --csv strangers.csv --seeds 100

Nothing is set but the number of steps. ``--recordings`` is how many episodes there are: 0, ten of
them, of which the recipe takes as many as it wants. LunarLander and BipedalWalker need
``pip install 'gymnasium[box2d]'``. Finished trainings are kept in the folder of runs and never
repeated.
"""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path

from controllers import EPISODES, recorded
from curves import Training, measure
from made_up import TASKS

from depo.core.files import write_bytes
from depo.data import Demonstrations

STEPS = {
    "CartPole-v1": 10_000,
    "Pendulum-v1": 10_000,
    "Reacher-v5": 10_000,
    "Acrobot-v1": 15_000,
    "MountainCarContinuous-v0": 15_000,
    "Swimmer-v5": 15_000,
    "InvertedDoublePendulum-v5": 25_000,
    "LunarLander-v3": 40_000,
    "BipedalWalker-v3": 40_000,
    **dict.fromkeys(TASKS, 10_000),
}
"""Task: environment steps of each training."""
COLUMNS = ("task", "method", "recordings", "seed", "env_steps", "return", "worst", "expert")


def file_of(task: str, recordings: int, folder: Path) -> Path:
    """A file of as many episodes, made if it is not there."""
    path = folder / f"{task}-{recordings}.npz"
    if not path.exists():
        recorded(task, recordings or EPISODES).save(path)
    return path


def main() -> None:
    """Train what is not there yet, then write the last evaluation of each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--csv", type=Path, required=True)
    parser.add_argument("--tasks", nargs="+", default=list(STEPS), choices=list(STEPS))
    parser.add_argument("--methods", nargs="+", default=["depo"])
    parser.add_argument("--recordings", nargs="+", type=int, default=[0, 2, 1])
    parser.add_argument("--seeds", nargs="+", type=int, default=[100, 101, 102])
    parser.add_argument("--workers", type=int, default=1)
    asked = parser.parse_args()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for recordings in asked.recordings:
        folder = asked.runs / f"recordings-{recordings}"
        folder.mkdir(parents=True, exist_ok=True)
        files = {task: file_of(task, recordings, folder) for task in asked.tasks}
        trainings = [
            Training(method, task, str(files[task]), "recipe", seed, STEPS[task])
            for task in asked.tasks
            for method in asked.methods
            for seed in asked.seeds
        ]
        for training, points in measure(trainings, folder, asked.workers).items():
            expert = Demonstrations.load(files[training.task]).episode_returns.mean()
            last = points[-1]
            scores = (last.steps, f"{last.score:.4g}", f"{last.worst:.4g}", f"{expert:.4g}")
            about = (training.task, training.method, recordings, training.seed)
            writer.writerow([*about, *scores])
        write_bytes(asked.csv, text.getvalue().encode())


if __name__ == "__main__":
    main()

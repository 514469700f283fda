"""d3rlpy's BC on recorded actions, its own settings. It takes no environment step."""

from __future__ import annotations

import d3rlpy
import numpy as np
import torch
from protocol import Watch, episodes_of, read_job

UPDATES = 50
"""Between two looks at the clock."""


def main() -> None:
    """Learn until time is up."""
    job = read_job()
    torch.set_num_threads(job.threads)
    d3rlpy.seed(job.seed)
    episodes = episodes_of(job.demos)
    states = np.concatenate([s for s, _ in episodes]).astype(np.float32)
    actions = np.concatenate([a for _, a in episodes if a is not None]).astype(np.float32)
    ends = np.concatenate([np.arange(len(s)) == len(s) - 1 for s, _ in episodes])
    dataset = d3rlpy.dataset.MDPDataset(
        states, actions, np.zeros(len(states), np.float32), ends.astype(np.float32)
    )
    watch = Watch(job)
    learner = d3rlpy.algos.BCConfig().create(device="cpu:0")
    learner.build_with_dataset(dataset)
    updates = 0

    def act(state: np.ndarray) -> np.ndarray:
        return learner.predict(state[None].astype(np.float32))[0]

    while not watch.look(updates, act, offline=True):
        for _ in range(UPDATES):
            learner.update(dataset.sample_transition_batch(learner.batch_size))
        updates += UPDATES


if __name__ == "__main__":
    main()

"""Stable-Baselines3's SAC on the environment's reward, its own settings."""

from __future__ import annotations

import gymnasium
import torch
from protocol import Watch, read_job
from stable_baselines3 import SAC
from stable_baselines3.common.callbacks import BaseCallback


class Look(BaseCallback):
    """Ends the training when time is up."""

    def __init__(self, watch: Watch):
        super().__init__()
        self._watch = watch

    def _on_step(self) -> bool:
        return not self._watch.look(
            self.num_timesteps, lambda state: self.model.predict(state, deterministic=True)[0]
        )


def main() -> None:
    """Learn until time is up."""
    job = read_job()
    torch.set_num_threads(job.threads)
    watch = Watch(job)
    model = SAC("MlpPolicy", gymnasium.make(job.env), seed=job.seed, device="cpu")
    model.learn(10**9, callback=Look(watch))


if __name__ == "__main__":
    main()

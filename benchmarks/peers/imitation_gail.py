"""imitation's GAIL with a reward of (s,s'): PPO as the generator.

The library insists on actions, so demonstrations have zeros there; the reward network does not see
them. Generator and discriminator are set as in the library's own example for GAIL, but for γ =
0.99, and rounds of 2,048 steps.
"""

from __future__ import annotations

import gymnasium
import numpy as np
import torch
from imitation.algorithms.adversarial.gail import GAIL
from imitation.data.types import Trajectory
from imitation.rewards.reward_nets import BasicRewardNet
from imitation.util.networks import RunningNorm
from protocol import TimeUpError, Watch, episodes_of, read_job
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv

ROUND = 2_048


def trajectories(path: str, actions: int) -> list[Trajectory]:
    """The recorded states, with zeros for what was done."""
    return [
        Trajectory(
            obs=states.astype(np.float64),
            acts=np.zeros((len(states) - 1, actions), np.float32),
            infos=None,
            terminal=True,
        )
        for states, _ in episodes_of(path)
    ]


def main() -> None:
    """Learn until time is up."""
    job = read_job()
    torch.set_num_threads(job.threads)
    torch.manual_seed(job.seed)
    watch = Watch(job)
    venv = DummyVecEnv([lambda: gymnasium.make(job.env)])
    venv.seed(job.seed)
    learner = PPO(
        "MlpPolicy",
        venv,
        n_steps=ROUND,
        batch_size=64,
        ent_coef=0.0,
        learning_rate=4e-4,
        gamma=0.99,
        n_epochs=5,
        seed=job.seed,
        device="cpu",
    )
    reward = BasicRewardNet(
        venv.observation_space,
        venv.action_space,
        use_action=False,
        use_next_state=True,
        normalize_input_layer=RunningNorm,
    )
    trainer = GAIL(
        demonstrations=trajectories(job.demos, venv.action_space.shape[0]),
        demo_batch_size=1_024,
        gen_replay_buffer_capacity=ROUND,
        n_disc_updates_per_round=8,
        venv=venv,
        gen_algo=learner,
        reward_net=reward,
        allow_variable_horizon=True,
        log_dir=job.out or None,
    )

    def act(state: np.ndarray) -> np.ndarray:
        return learner.predict(state, deterministic=True)[0]

    def look(number: int) -> None:
        if watch.look((number + 1) * ROUND, act):
            raise TimeUpError

    try:
        trainer.train(10**9, callback=look)
    except TimeUpError:
        return


if __name__ == "__main__":
    main()

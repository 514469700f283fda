"""The rewards that a run learns by: found, loaded, refused where they do not fit, and kept."""

from __future__ import annotations

from pathlib import Path

from depo.core.errors import DepoError
from depo.core.folders import check_folder
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.models.card import read_origin
from depo.models.folder import load_reward, save_reward
from depo.models.reward import StateReward
from depo.runs.checkpoints import CHECKPOINTS
from depo.runs.planners import check_names, check_task
from depo.runs.run import Run

REWARD = "reward"
"""The folder of a run with its rewards."""


def reward_folder(source: str, seed: int) -> Path:
    """The reward folder itself, or that of a seed in a run."""
    if not source:
        raise DepoError(
            "airl-transfer learns by a reward that airl left: name its run or folder, "
            "--reward-from RUN"
        )
    path = Path(source)
    if not (path / CHECKPOINTS).is_dir():
        return path
    check_folder(path)
    own = path / REWARD / f"seed-{seed}"
    if not own.is_dir():
        found = [folder.name for folder in sorted((path / REWARD).glob("seed-*"))]
        has = f"has rewards for {', '.join(found)}" if found else "has no reward (finished?)"
        raise DepoError(
            f"run {path} {has}, none for seed {seed}: "
            "give a reward folder, which then serves every seed"
        )
    return own


def given_reward(source: str, seed: int, environment: GymnasiumEnvironment) -> StateReward:
    """The reward that a seed learns by; refused if it is of other states."""
    folder = reward_folder(source, seed)
    reward, origin = load_reward(folder), read_origin(folder)
    sees, states = int(reward.normaliser.mean.shape[0]), environment.vector_sizes().states
    if sees != states:
        raise DepoError(
            f"reward {folder} is of {sees}-dimensional states ({origin.environment}), "
            f"{environment.id} has {states}-dimensional ones: a reward keeps its states"
        )
    check_task(folder, origin, environment.id, REWARD)
    check_names(folder, origin, environment.feature_names(), environment.id, REWARD)
    return reward


def keep_given_rewards(run: Run) -> None:
    """A run keeps the rewards that it begins with, cards and all, so that its folder is enough to
    go on."""
    for seed in run.job.seeds:
        source = reward_folder(run.job.reward_from, seed)
        save_reward(run.path / REWARD / f"seed-{seed}", load_reward(source), read_origin(source))

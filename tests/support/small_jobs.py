"""Trainings of seconds, of every kind, with several checkpoints: to be stopped and resumed."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

import depo
from depo.api import make_job
from depo.data import Demonstrations
from depo.runs.job import Job
from tests.environments.point import ID as POINT
from tests.environments.point import straight_demonstrations
from tests.support import line
from tests.support.arguments import flat
from tests.support.traffic import flowing

LAKE = [0, 4, 8, 9, 13, 14, 15]


def job(kind: str, folder: Path, method: str = "depo") -> Job:
    """A job of a kind; what it needs beside is written to the folder. ``depo-supervised`` has the
    same files and compiles in a third of the time."""
    if kind in ("hopper", "third-party", "choices"):
        return vector_job(kind, folder, method)
    if kind == "driving":
        return driving_job(folder, method)
    if kind == "transfer":
        return transfer_job(folder)
    if kind == "refits":
        refits = {"skill_schedule": "refit", "refit_every": 80, "refit_passes": 3}
        return vector_job("third-party", folder, method, first_fit_passes=3, **refits)
    common = {"steps": 1_280, "seeds": 2, "hidden": 32, "batch_steps": 64, "checkpoint_every": 4}
    if kind == "compiled":
        return make_job(method, **flat(size=3, horizon=8, **common))
    if kind == "co-training":
        return make_job(method, variants=("1", "2"), **flat(size=3, horizon=8, **common))
    demos = Demonstrations.from_episodes([LAKE] * 2).save(folder / "lake.npz")
    slippery = {"is_slippery": True}  # the simulator itself draws random numbers
    return make_job(method, env="FrozenLake-v1", demos=demos, env_args=slippery, **flat(**common))


def vector_job(kind: str, folder: Path, method: str, **changes) -> Job:
    """Off-policy: half the steps random, four checkpoints, a replay that is overwritten."""
    small = {"hidden": 16, "skill_hidden": 16, "minibatch": 32, "batch_steps": 40, "seeds": 2}
    small |= {"steps": 640, "random_steps": 160, "evaluate_every": 2, "checkpoint_every": 2}
    small |= {"replay": 200, "skill_replay": 300, "demo_episodes": 2} | changes
    if kind == "third-party":
        demos = straight_demonstrations(folder / "straight.npz")
        return make_job(method, env=POINT, demos=demos, **flat(**small))
    if kind == "choices":
        demos = line.walks(folder / "line.npz")
        return make_job(method, env=line.ID, demos=demos, **flat(**small))
    states = np.random.default_rng(0).normal(size=(4, 20, 11))
    demos = Demonstrations.from_episodes(list(states)).save(folder / "hops.npz")
    return make_job(method, env="hopper", demos=demos, **flat(skill_memory=True, **small))


def driving_job(folder: Path, method: str) -> Job:
    """Gathered inside the compiler."""
    recording = flowing(seconds=60.0).save(folder / "flowing.npz")
    small = {"hidden": 16, "minibatch": 32, "copies": 10, "seeds": 2}
    small |= {"steps": 800, "batch_steps": 50, "random_steps": 100, "evaluate_every": 2}
    return make_job(
        method,
        env="driving",
        env_args={"recording": str(recording)},
        **flat(checkpoint_every=2, **small),
    )


def transfer_job(folder: Path) -> Job:
    """A planner that is set free half-way, and a skill by effects (what ``mixed`` asks for)."""
    normaliser = depo.Normaliser(jnp.zeros(2), jnp.ones(2))
    planner = depo.GaussianPlanner(jax.random.key(0), normaliser, (16, 16))
    small = {"hidden": 16, "skill_hidden": 16, "minibatch": 32, "batch_steps": 40, "seeds": 2}
    small |= {"steps": 640, "random_steps": 160, "evaluate_every": 2, "checkpoint_every": 2}
    return make_job(
        "transfer",
        planner=depo.save_planner(folder / "given", planner),
        env=POINT,
        dynamics="mixed",
        demos=straight_demonstrations(folder / "straight.npz"),
        **flat(unfreeze_after=400, **small),
    )

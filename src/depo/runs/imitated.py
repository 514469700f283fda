"""What a job imitates: the demonstrations it names, checked to fit, and each seed's draw."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from depo.demos.demonstrations import Demonstrations
from depo.demos.shipped import load_demonstrations, shipped
from depo.environments.driving.opening import driving_demonstrations
from depo.environments.driving.settings import ID as DRIVING_ID
from depo.environments.driving.settings import DrivingSettings
from depo.environments.gridworld import GridWorld, GridWorldSettings
from depo.environments.mujoco import NAME_OF
from depo.errors import DepoError
from depo.learners.seeds import derived_seed
from depo.runs.job import EnvironmentSettings

DRAW_DEMOS = 3
"""The word from which the seeds of drawn demonstrations are derived."""


def default_demonstrations(environment: EnvironmentSettings, name: str) -> Demonstrations:
    """The demonstrations named, or the environment's own.

    A grid world has a built-in expert; in traffic the recorded drivers of the train part are it.
    """
    if name:
        return load_demonstrations(name)
    if environment.id == DRIVING_ID:
        return driving_demonstrations(DrivingSettings(**dict(environment.arguments)))
    if environment.world is None:
        if (shipped_name := NAME_OF.get(environment.id, "")) in shipped():
            return load_demonstrations(shipped_name)
        raise DepoError(f"no demonstrations for {environment.id}: pass --demos FILE")
    if environment.world == GridWorldSettings(k=environment.world.k):
        return load_demonstrations("gridworld")
    return GridWorld(environment.world).demonstrations()


def check_demonstrations(demos: Demonstrations, states: int, environment: str) -> None:
    """Refuse demonstrations of another state space."""
    if not demos.is_finite:
        raise DepoError(
            f"demonstrations hold {demos.dimension}-dimensional vectors, {environment} has "
            f"{states} finite states: pass --demos recorded there"
        )
    highest = int(demos.observations.max())
    if highest >= states:
        raise DepoError(
            f"demonstrations visit state {highest}, {environment} has states 0 to {states - 1}: "
            "pass --demos recorded there"
        )


class Drawn(NamedTuple):
    """The demonstrations a seed learns from, and the others."""

    seen: Demonstrations | None
    held_out: Demonstrations | None


def draw_demonstrations(demos: Demonstrations, episodes: int, seed: int) -> Drawn:
    """Each seed draws its own episodes; with too few, all are seen and none held out."""
    order = np.random.default_rng(derived_seed(DRAW_DEMOS, seed)).permutation(demos.episodes)
    numbers = order.tolist()
    seen, rest = sorted(numbers[:episodes]), sorted(numbers[episodes:])
    return Drawn(demos.select(seen), demos.select(rest) if rest else None)


def expert_pairs(demos: Demonstrations, remember: bool) -> tuple[np.ndarray, np.ndarray]:
    """Expert transitions (s,s'); with memory the state before is appended to either."""
    if not remember:
        return demos.transitions()
    pairs = []
    for episode in demos:
        before = np.concatenate([episode[:1], episode[:-1]])
        remembered = np.concatenate([episode, before], axis=1)
        pairs.append((remembered[:-1], remembered[1:]))
    return tuple(np.concatenate(column) for column in zip(*pairs, strict=True))  # type: ignore[return-value]


def check_vectors(demos: Demonstrations, dimension: int, environment: str) -> None:
    """Refuse demonstrations of another state space."""
    if demos.is_finite:
        raise DepoError(
            f"demonstrations hold finite states, {environment} has {dimension}-dimensional "
            "vectors: pass --demos recorded there"
        )
    if demos.dimension != dimension:
        slim = NAME_OF.get(environment, "")
        hint = f" (--env {slim} has the short ones)" if slim in ("ant", "humanoid") else ""
        raise DepoError(
            f"demonstrations hold {demos.dimension}-dimensional states, {environment} has "
            f"{dimension}: pass --demos recorded there, or the --env-args they were recorded "
            f"with{hint}"
        )

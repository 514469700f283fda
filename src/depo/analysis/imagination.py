"""Imagined rollouts: the planner rolled on its own predictions, beside what really happened.

From a real state s₀ the planner's most likely next state becomes the state it plans from next,
ŝ_{k+1} = h(ŝ_k), without a simulator. The k-step error compares ŝ_k with the real state k steps
later: on vectors the mean square over features in the planner's standardised units, in which
guessing the mean state costs 1; on a grid the steps between the two cells; in traffic metres.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from depo.core.errors import DepoError
from depo.core.seeds import EVALUATION, derived_seed
from depo.data.demonstrations import Demonstrations
from depo.environments.family import EnvironmentSettings
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.evaluation.vector_rollouts import Player
from depo.models.planner import CategoricalPlanner, GaussianPlanner, Planner
from depo.models.policy import DecoupledPolicy
from depo.runs.run import Run


@dataclass(frozen=True)
class Source:
    """Where a planner comes from, and what can be compared with it."""

    planner: Planner
    environment: EnvironmentSettings
    gymnasium: GymnasiumEnvironment
    """The environment with the memory that the run's policy needs."""
    policy: DecoupledPolicy | None
    seed: int
    folder: Path
    run: Run | None = None
    features: tuple[str, ...] = ()
    """What the numbers of a state are called, where anybody says so."""


@dataclass(frozen=True, eq=False)
class Imagination:
    """Imagined states (time, starts, …), and the real ones where there are any.

    ``alive`` tells which real states there are: an episode may end.
    """

    source: Source
    imagined: np.ndarray
    real: np.ndarray
    alive: np.ndarray
    after: int
    compared_with: str
    """'policy', 'demonstrations', or '' where only the first state is real."""

    @cached_property
    def errors(self) -> np.ndarray:
        """The k-step error, k from 0, mean over the starts that are still going; NaN: none is."""
        return self._mean(self._distance(self.imagined))

    @cached_property
    def still(self) -> np.ndarray:
        """The same for imagining that nothing ever changes."""
        return self._mean(self._distance(np.broadcast_to(self.imagined[:1], self.imagined.shape)))

    @property
    def feature_names(self) -> tuple[str, ...]:
        """What the numbers of a state are called."""
        count = self.imagined.shape[-1]
        said = self.source.features
        return said if len(said) == count else tuple(f"feature {i}" for i in range(count))

    @property
    def unit(self) -> str:
        """What errors are measured in."""
        return "mean square, standardised"

    @property
    def is_logarithmic(self) -> bool:
        """Whether errors grow by orders of magnitude."""
        return True

    def horizon(self, threshold: float) -> int | None:
        """The first step whose error is above the threshold; None: none within what was real."""
        above = np.flatnonzero(np.nan_to_num(self.errors) > threshold)
        return int(above[0]) if len(above) else None

    def _distance(self, states: np.ndarray) -> np.ndarray:
        planner = self.source.planner
        assert isinstance(planner, GaussianPlanner)
        ours, theirs = (np.asarray(planner.normaliser(jnp.array(x))) for x in (states, self.real))
        return np.mean((ours - theirs) ** 2, axis=-1)

    def _mean(self, distance: np.ndarray) -> np.ndarray:
        count = self.alive.sum(axis=1)
        total = np.where(self.alive, distance, 0.0).sum(axis=1)
        return np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)


class Imaginer:
    """How one imagines in a family of environments; as it is, on vector states."""

    imagination: type[Imagination] = Imagination

    def check(self, source: Source) -> None:
        """Refuse what cannot be imagined here."""
        if isinstance(source.planner, CategoricalPlanner):
            raise DepoError(
                f"{source.gymnasium.id} has finite states: imagining is for grid worlds and vectors"
            )

    def __call__(
        self, source: Source, demos: Demonstrations | None, after: int, steps: int, starts: int
    ) -> Imagination:
        """From real states, ``after`` steps into an episode, the plans alone."""
        if demos is not None:
            check_fits(source, demos)
            episodes, compared = list(demos)[:starts], "demonstrations"
        elif source.policy is not None:
            played = self.play(source, source.policy, after + steps, starts)
            episodes, compared = played, "policy"
        else:
            if after:
                raise DepoError(
                    f"{source.folder} is a planner without a policy, so nothing takes {after} real "
                    "steps: pass --after 0, --demos, or the run it comes from"
                )
            episodes, compared = self.first_states(source, starts), ""
        _, real, alive = from_step(episodes, after, steps)
        imagined = roll(source.planner, real[0], steps)
        return self.imagination(source, imagined, real, alive, after, compared)

    def play(
        self, source: Source, policy: DecoupledPolicy, steps: int, starts: int
    ) -> list[np.ndarray]:
        """The states of real episodes of the policy, of at most n steps."""
        player = Player(source.gymnasium, source.seed, starts)
        try:
            played = player.play(policy, steps)
        finally:
            player.close()
        own = source.gymnasium.plain().vector_sizes().states  # without a skill's memory
        return [played.states(i)[:, :own] for i in range(starts)]

    def first_states(self, source: Source, starts: int) -> list[np.ndarray]:
        """States in which episodes begin."""
        envs = source.gymnasium.plain().vector(starts)
        try:
            states = envs.reset([derived_seed(EVALUATION, source.seed, e) for e in range(starts)])
        finally:
            envs.close()
        return [state[None] for state in states]


def from_step(
    episodes: list[np.ndarray], begin: int, steps: int
) -> tuple[list[int], np.ndarray, np.ndarray]:
    """Which episodes are so long, and from there on their states and whether there are any."""
    long = [i for i, episode in enumerate(episodes) if len(episode) > begin]
    if not long:
        longest = max(len(episode) for episode in episodes) - 1
        raise DepoError(f"no episode has {begin} steps, the longest has {longest}: lower --after")
    return long, *_padded([episodes[i][begin : begin + steps + 1] for i in long], steps + 1)


def roll(planner: Planner, states: np.ndarray, steps: int) -> np.ndarray:
    """States (steps + 1, starts, …): the first as given, each other planned from the one before."""
    if isinstance(planner, GaussianPlanner):
        sees = planner.normaliser.mean.shape[0]
        if planner.predicts != tuple(range(sees)):
            raise DepoError(
                f"this planner plans {len(planner.predicts)} of the {sees} features it sees: "
                "it cannot go on from its own predictions"
            )
    step = eqx.filter_jit(lambda model, state: model.mode(state))
    rolled = [np.asarray(states)]
    for _ in range(steps):
        rolled.append(np.asarray(step(planner, jnp.array(rolled[-1]))).astype(states.dtype))
    return np.stack(rolled)


def _padded(rows: list[np.ndarray], length: int) -> tuple[np.ndarray, np.ndarray]:
    """(time, starts, …); after an episode's end its last state, and False beside."""
    longest = [np.arange(length).clip(max=len(row) - 1) for row in rows]
    states = np.stack([row[index] for row, index in zip(rows, longest, strict=True)], axis=1)
    alive = np.stack([np.arange(length) < len(row) for row in rows], axis=1)
    return states, alive


def check_fits(source: Source, demos: Demonstrations) -> None:
    """Refuse demonstrations of other states than the planner's."""
    if isinstance(source.planner, CategoricalPlanner):
        fits = demos.is_finite and int(demos.observations.max()) < source.planner.states
        plans = "finite states"
    else:
        sees = source.planner.normaliser.mean.shape[0]
        fits = not demos.is_finite and demos.dimension == sees
        plans = f"{sees}-dimensional vectors"
    if not fits:
        raise DepoError(f"the planner plans {plans}, the demonstrations hold something else")

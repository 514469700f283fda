"""Imagined rollouts: the planner rolled on its own predictions, beside what really happened.

From a real state s₀ the planner's most likely next state becomes the state it plans from next,
ŝ_{k+1} = h(ŝ_k), without a simulator. The k-step error compares ŝ_k with the real state k steps
later: on vectors the mean square over features in the planner's standardised units, in which
guessing the mean state costs 1; on a grid the steps between the two cells; in traffic metres.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import isqrt
from pathlib import Path
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from depo.api import GRID_NAMES, home_of, host_settings
from depo.demos.demonstrations import Demonstrations
from depo.demos.shipped import load_demonstrations
from depo.environments.driving.settings import ID as DRIVING_ID
from depo.environments.gridworld import GridWorld, GridWorldSettings
from depo.environments.host import HostEnvironment
from depo.environments.mujoco import NAME_OF
from depo.errors import DepoError
from depo.evaluation.of_run import host_environment, load_policy
from depo.evaluation.vector_rollouts import VectorEvaluator
from depo.learners.seeds import EVALUATION, derived_seed
from depo.models.folder import load_planner, read_origin
from depo.models.planner import CategoricalPlanner, GaussianPlanner, Planner
from depo.models.policy import DecoupledPolicy
from depo.runs.job import EnvironmentSettings
from depo.runs.run import CHECKPOINTS, Run

World = HostEnvironment | GridWorld


@dataclass(frozen=True)
class Source:
    """Where a planner comes from, and what can be compared with it."""

    planner: Planner
    world: World
    policy: DecoupledPolicy | None
    seed: int
    folder: Path
    run: Run | None = None


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
    def unit(self) -> str:
        """What errors are measured in."""
        on_grid = isinstance(self.source.world, GridWorld)
        return "cells apart" if on_grid else "mean square, standardised"

    def horizon(self, threshold: float) -> int | None:
        """The first step whose error is above the threshold; None: none within what was real."""
        above = np.flatnonzero(np.nan_to_num(self.errors) > threshold)
        return int(above[0]) if len(above) else None

    def _distance(self, states: np.ndarray) -> np.ndarray:
        world, planner = self.source.world, self.source.planner
        if isinstance(world, GridWorld):
            size = world.settings.size
            apart = np.abs(np.stack(divmod(states, size)) - np.stack(divmod(self.real, size)))
            return apart.sum(axis=0).astype(float)
        assert isinstance(planner, GaussianPlanner)
        ours, theirs = (np.asarray(planner.standard(jnp.array(x))) for x in (states, self.real))
        return np.mean((ours - theirs) ** 2, axis=-1)

    def _mean(self, distance: np.ndarray) -> np.ndarray:
        count = self.alive.sum(axis=1)
        total = np.where(self.alive, distance, 0.0).sum(axis=1)
        return np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)


def imagine(
    source: str | Path,
    *,
    env: str = "",
    env_args: dict[str, Any] | None = None,
    demos: str | Path = "",
    seed: int | None = None,
    steps: int = 100,
    after: int | None = None,
    starts: int = 10,
) -> Imagination:
    """Roll the planner of a run, or a planner folder, on its own predictions from real states.

    The real states are of the run's deterministic policy on held-out seeds, ``after`` steps into
    the episode; with ``demos`` they are the demonstrations'. A planner folder alone has no policy:
    without ``demos`` it begins where episodes begin and is compared with nothing.

    ``depo.imagine("runs/mine", steps=50, after=80).horizon(1.0)``
    """
    for name, value in [("steps", steps), ("starts", starts)]:
        if value < 1:
            raise DepoError(f"{name} {value} is not positive")
    opened = open_source(Path(source), env, env_args or {}, seed)
    if isinstance(opened.world, HostEnvironment) and isinstance(opened.planner, CategoricalPlanner):
        raise DepoError(
            f"{opened.world.id} has finite states: imagining is for grid worlds and vectors"
        )
    begin = default_start(opened, bool(str(demos))) if after is None else after
    if begin < 0:
        raise DepoError(f"after {begin} is negative: it counts real steps")
    if isinstance(opened.world, HostEnvironment) and opened.world.id == DRIVING_ID:
        from depo.evaluation.imagined_drives import imagine_drives

        if str(demos):
            raise DepoError("in traffic the recorded drivers are drawn anyway: leave --demos out")
        return imagine_drives(opened, begin, steps, starts)
    if str(demos):
        recorded = load_demonstrations(str(demos))
        check_fits(opened, recorded)
        episodes, compared = list(recorded)[:starts], "demonstrations"
    elif opened.policy is not None:
        episodes, compared = _play(opened, opened.policy, begin + steps, starts), "policy"
    else:
        if begin:
            raise DepoError(
                f"{source} is a planner without a policy, so nothing takes {begin} real steps: "
                "pass --after 0, --demos, or the run it comes from"
            )
        episodes, compared = _first_states(opened, starts), ""
    _, real, alive = from_step(episodes, begin, steps)
    imagined = roll(opened.planner, real[0], steps)
    return Imagination(opened, imagined, real, alive, begin, compared)


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
        sees = planner.standard.mean.shape[0]
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


def open_source(path: Path, env: str, env_args: dict[str, Any], seed: int | None) -> Source:
    """A run with its policy, or a planner folder; the environment named, or its own."""
    if (path / CHECKPOINTS).is_dir():
        run = Run.open(path)
        chosen, policy = load_policy(run, seed)
        if not isinstance(policy, DecoupledPolicy):
            raise DepoError(f"{path} was trained by '{run.job.method}', which has no planner")
        world = _world(run.job.first_environment, env, env_args, policy.planner)
        if isinstance(world, HostEnvironment):  # actions do what they do in the run's
            own = host_environment(run.job)
            world = replace(world, dynamics=own.dynamics, remember=own.remember)
        return Source(policy.planner, world, policy, chosen, path, run)
    planner, origin = load_planner(path), read_origin(path)
    found = home_of(path)
    if found is None and not env:
        if not origin.environment.startswith(GRID_NAMES[0]):
            raise DepoError(
                f"planner {path} was trained in {origin.environment}: pass --env to say where to "
                "look"
            )
        env = GRID_NAMES[0]
    return Source(planner, _world(found, env, env_args, planner), None, origin.seed, path)


def default_start(source: Source, recorded: bool) -> int:
    """Real steps before imagining: 80 where a MuJoCo body is in its gait by then, else none."""
    is_task = isinstance(source.world, HostEnvironment) and source.world.id in NAME_OF
    return 80 if is_task and (recorded or source.policy is not None) else 0


def _world(
    home: EnvironmentSettings | None, env: str, arguments: dict[str, Any], planner: Planner
) -> World:
    """The world that is named, if it fits the planner; unnamed, the planner's own."""
    if env in GRID_NAMES and (home is None or home.world is None):
        home = _open_grid(planner)
    elif env and env not in GRID_NAMES:
        home = host_settings(env, arguments)
    assert home is not None
    if home.world is not None:
        if arguments:
            raise DepoError("a grid world is taken as the planner knows it: leave --env-args out")
        return GridWorld(home.world)
    host = HostEnvironment(home.id, dict(home.arguments) | arguments, dynamics=home.dynamics)
    if env:
        _check_states(planner, host)
    return host


def _open_grid(planner: Planner) -> EnvironmentSettings:
    """A grid of as many cells as the planner has states, without walls."""
    if not isinstance(planner, CategoricalPlanner):
        raise DepoError("this planner plans vectors, a grid world has finite states")
    size = isqrt(planner.states)
    if size**2 != planner.states:
        raise DepoError(f"this planner has {planner.states} states, which make no square grid")
    return EnvironmentSettings(world=GridWorldSettings(size=size))


def _check_states(planner: Planner, host: HostEnvironment) -> None:
    """Refuse an environment of other states than the planner's."""
    if isinstance(planner, CategoricalPlanner):
        raise DepoError(f"this planner plans finite states, {host.id} is no grid world")
    states, sees = host.vector_sizes().states, planner.standard.mean.shape[0]
    if states != sees:
        raise DepoError(f"this planner sees {sees}-dimensional states, {host.id} has {states}")


def check_fits(source: Source, demos: Demonstrations) -> None:
    """Refuse demonstrations of other states than the planner's."""
    finite = isinstance(source.planner, CategoricalPlanner)
    if isinstance(source.planner, CategoricalPlanner):
        fits = demos.is_finite and int(demos.observations.max()) < source.planner.states
    else:
        sees = source.planner.standard.mean.shape[0]
        fits = not demos.is_finite and demos.dimension == sees
    if not fits:
        kind = "finite states" if finite else f"{sees}-dimensional vectors"
        raise DepoError(f"the planner plans {kind}, the demonstrations hold something else")


def _play(source: Source, policy: DecoupledPolicy, steps: int, starts: int) -> list[np.ndarray]:
    world = source.world
    if isinstance(world, GridWorld):
        return [_walk(world, policy, start, steps) for start in _spread_starts(world, starts)]
    simulator = VectorEvaluator(world, source.seed, starts)
    try:
        played = simulator.play(policy, steps)
    finally:
        simulator.close()
    own = world.plain().vector_sizes().states  # without the memory a skill may need
    return [played.states(i)[:, :own] for i in range(starts)]


def _spread_starts(world: GridWorld, count: int) -> list[int]:
    """So many of the starts of a grid, evenly spread, or all."""
    picked = np.linspace(0, len(world.starts) - 1, min(count, len(world.starts)))
    return [int(world.starts[round(i)]) for i in picked]


def _walk(world: GridWorld, policy: DecoupledPolicy, start: int, steps: int) -> np.ndarray:
    path = [start]
    while path[-1] != world.goal and len(path) <= steps:
        action = int(policy.mode(jnp.array(path[-1])).action)
        path.append(int(world.successor[path[-1], action]))
    return np.array(path)


def _first_states(source: Source, starts: int) -> list[np.ndarray]:
    world = source.world
    if isinstance(world, GridWorld):
        return [np.array([start]) for start in _spread_starts(world, starts)]
    envs = world.plain().vector(starts)
    try:
        states = envs.reset([derived_seed(EVALUATION, source.seed, e) for e in range(starts)])
    finally:
        envs.close()
    return [state[None] for state in states]


def _padded(rows: list[np.ndarray], length: int) -> tuple[np.ndarray, np.ndarray]:
    """(time, starts, …); after an episode's end its last state, and False beside."""
    longest = [np.arange(length).clip(max=len(row) - 1) for row in rows]
    states = np.stack([row[index] for row, index in zip(rows, longest, strict=True)], axis=1)
    alive = np.stack([np.arange(length) < len(row) for row in rows], axis=1)
    return states, alive

"""Reachability on vector states, by a forward model that is fitted to visited transitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from depo.analysis.forward import Search, best_actions, best_choices, fit_forward
from depo.analysis.reach_report import Reachability, by_feature
from depo.analysis.region import VisitedRegion
from depo.core.errors import DepoError
from depo.core.seeds import EXPLORATION
from depo.data.demonstrations import Demonstrations
from depo.data.replay import read_newest
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.mujoco_states import MujocoStates
from depo.evaluation.vector_rollouts import Episodes, Player, reach_error
from depo.models.forward import Forward
from depo.models.policy import DecoupledPolicy
from depo.runs.planners import is_nameless

NEGLIGIBLE = 0.02
"""Singular values of the model below this share of the largest are its noise."""
VISITED, SAMPLES, BINS = 50_000, 5_000, 50
"""Transitions the models are fitted to, steps the split is made for, points over time."""
NOISES, COPIES = (0.1, 0.3, 1.0), 10
"""Where nothing was kept of what was visited: with how much noise episodes are played for it."""


def on_vectors(
    policy: DecoupledPolicy,
    environment: GymnasiumEnvironment,
    *,
    seed: int = 0,
    episodes: int = 10,
    replay: Path | None = None,
    demos: Demonstrations | None = None,
) -> Reachability:
    """The report of any decoupled policy on vector states.

    Visited transitions are the newest of a replay folder; without one, episodes are played for it.
    """
    played = _played(policy, environment, seed, episodes)
    planner: Any = policy.planner
    sees, columns = planner.normaliser.mean.shape[0], list(planner.predicts)
    target = planner.normaliser.at(planner.predicts)

    def seen(states: np.ndarray) -> np.ndarray:
        return np.asarray(planner.normaliser(jnp.array(states)))

    def aimed(states: np.ndarray) -> np.ndarray:
        return np.asarray(target(jnp.array(states)))

    state, action, plan, reached = (x[played.playing] for x in played[:4])
    before, after = seen(state), aimed(reached[:, columns])
    error = aimed(plan) - after
    (begun, taken, ended), visited = _visited(policy, environment, seed, replay)
    known = seen(begun)
    change = aimed(ended[:, columns]) - known
    region = VisitedRegion.of(known, change)
    model, model_error = fit_forward(known, taken, change, seed)
    picked = np.random.default_rng(seed).permutation(len(error))[:SAMPLES]
    rows = (jnp.array(x[picked]) for x in (before, action, error))
    found = _best_actions(environment, model, *rows)
    gained, slopes = np.asarray(found.gained), np.asarray(found.slopes)
    left = float(np.mean((error[picked] - gained) ** 2))
    scores = reach_error(policy, played)
    return Reachability(
        seed=seed,
        steps=len(error),
        unit="mean square, standardised",
        features=_feature_names(environment, demos, sees),
        **by_feature(error, plan - reached[:, columns]),
        **_over_time(played, error),
        reach_error=scores["reach_error"],
        reach_error_relative=scores["reach_error_relative"],
        unreachable=left,
        unskilled=max(0.0, float(np.mean(error[picked] ** 2)) - left),
        plans_outside=float(np.mean(region.outside(before, aimed(plan) - before))),
        reached_outside=float(np.mean(region.outside(before, after - before))),
        visited=visited,
        planner_error=_planner_error(planner, demos, aimed),
        skill_error=float(
            np.mean(np.linalg.norm(np.asarray(found.action) - action[picked], axis=1))
        ),
        slope=float(np.median(slopes[:, 0])),
        inverse_slope=float(np.median(1.0 / least_slope(slopes))),
        model_error=model_error,
    )


def _best_actions(
    environment: GymnasiumEnvironment, model: Forward, state: Array, action: Array, error: Array
) -> Search:
    """What would have left the least, among the actions that the environment has."""
    actions = environment.vector_sizes().action_space
    if actions.choices:
        return best_choices(model, jnp.array(actions.every()), state, action, error)
    return best_actions(model, state, action, error)


def _played(
    policy: DecoupledPolicy, environment: GymnasiumEnvironment, seed: int, episodes: int
) -> Episodes:
    """Held-out episodes of a policy whose planner plans whole states."""
    planner: Any = policy.planner
    sees, columns = planner.normaliser.mean.shape[0], list(planner.predicts)
    if columns != list(range(sees)):
        raise DepoError(
            f"this planner plans {len(columns)} of the {sees} features it sees: the report needs "
            "a plan of all of them"
        )
    player = Player(environment, seed, episodes)
    try:
        return player.play(policy)
    finally:
        player.close()


def _visited(
    policy: DecoupledPolicy, environment: GymnasiumEnvironment, seed: int, replay: Path | None
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], str]:
    """Transitions with other actions than the policy's, and where they are from.

    The report's own episodes would not do: there an action is a function of the state, and nothing
    tells what another one would have changed.
    """
    sizes = environment.vector_sizes()
    rows = None
    if replay is not None:
        rows = read_newest(replay, VISITED, sizes.states, sizes.actions)
    if rows is not None:
        return rows[:3], f"the newest of the run's replay ({len(rows.state):,} transitions)"
    player = Player(environment, seed, COPIES, EXPLORATION)
    try:
        played = [player.play(policy, noise=noise) for noise in NOISES]
        played.append(player.play(None))
    finally:
        player.close()
    parts = [[x[own.playing] for x in (own.state, own.action, own.reached)] for own in played]
    state, action, reached = (np.concatenate(column) for column in zip(*parts, strict=True))
    return (state, action, reached), f"{len(state):,} steps with noise, played for this report"


def least_slope(slopes: np.ndarray) -> np.ndarray:
    """The smallest singular value (samples, values, largest first) that is not negligible.

    Where several actions have the same effect, as under ``mixed``, the true matrix lacks rank and
    its smallest values are the model's noise.

    >>> least_slope(np.array([[2.0, 0.5, 0.001], [1.0, 0.9, 0.8]])).tolist()
    [0.5, 0.8]
    """
    counts = slopes >= NEGLIGIBLE * slopes[:, :1]
    return np.maximum(np.min(np.where(counts, slopes, np.inf), axis=1), 1e-9)


def _planner_error(planner: Any, demos: Demonstrations | None, aimed: Any) -> float | None:
    if demos is None:
        return None
    state, next_state = demos.transitions()
    plan = np.asarray(planner.mode(jnp.array(state)))
    columns = list(planner.predicts)
    apart = aimed(plan) - aimed(next_state[:, columns])
    return float(np.mean(np.linalg.norm(apart, axis=1)))


def _over_time(played: Episodes, error: np.ndarray) -> dict[str, tuple[Any, ...]]:
    """Mean square error in stretches of time, over the episodes that last so long."""
    when = np.nonzero(played.playing)[0]
    width = max(1, -(-len(played.playing) // BINS))
    square = np.mean(error**2, axis=1)
    stretches = [when // width == i for i in range(-(-len(played.playing) // width))]
    return {
        "time": tuple(i * width for i, own in enumerate(stretches) if own.any()),
        "error_over_time": tuple(float(square[own].mean()) for own in stretches if own.any()),
    }


def _feature_names(
    environment: GymnasiumEnvironment, demos: Demonstrations | None, count: int
) -> tuple[str, ...]:
    """The demonstrations' own names; joints, where those are but numbers and the task is known."""
    given = () if demos is None else demos.feature_names
    if not is_nameless(given):
        return given
    return MujocoStates.names(environment, count) or tuple(f"s{i}" for i in range(count))

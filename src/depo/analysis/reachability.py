"""Are plans reached, and if not: is the plan to blame, or the skill?

The deterministic policy plays held-out episodes. Each step has a plan ŝ' = h(s) and a state s'
really reached, and ŝ' − s' (standardised) is split in two: what the best action within bounds
would have gained, which is the skill's fault, and what no action reaches, which is the plan's. The
best action comes from a forward model fitted to visited transitions (:mod:`.forward`); on a grid
world everything is exact.

The paper's bound on the distance to the expert's next state has the same two culprits:

    L·C·‖h_E(s) − h(s)‖  +  L·‖I*(s,ŝ') − I(s,ŝ')‖

h_E is taken from demonstrations, I*(s,ŝ') is the best action, L is the largest slope of T in a and
C one over the smallest that is not negligible, both medians over states.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from depo.analysis.forward import Search, best_actions, best_choices, fit_forward
from depo.analysis.imagination import Source, check_fits
from depo.analysis.imagine import open_source
from depo.analysis.reach_report import Reachability
from depo.analysis.region import VisitedRegion
from depo.core.errors import DepoError
from depo.core.files import as_path
from depo.core.plugins import add_once
from depo.core.seeds import EXPLORATION
from depo.data.demonstrations import Demonstrations
from depo.data.replay import read_newest
from depo.data.shipped import load_demonstrations
from depo.environments.given import EnvironmentLike
from depo.environments.grid.gridworld import GridWorld, GridWorldSettings
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.mujoco_states import MujocoStates
from depo.evaluation.vector_rollouts import Episodes, Player, reach_error
from depo.methods.off_policy.settings import Demos
from depo.models.forward import Forward
from depo.models.planner import CategoricalPlanner
from depo.models.policy import DecoupledPolicy
from depo.runs.demonstrations import draw_demonstrations
from depo.runs.planners import is_nameless
from depo.runs.run import CHECKPOINTS, REPLAY, Run, as_run

NEGLIGIBLE = 0.02
"""Singular values of the model below this share of the largest are its noise."""
VISITED, SAMPLES, BINS = 50_000, 5_000, 50
"""Transitions the models are fitted to, steps the split is made for, points over time."""
NOISES, COPIES = (0.1, 0.3, 1.0), 10
"""Where nothing was kept of what was visited: with how much noise episodes are played for it."""


def reachability(
    run: str | Path | Run,
    *,
    seed: int | None = None,
    episodes: int = 10,
    demos: str | Path = "",
    env: EnvironmentLike | None = None,
    trust: bool = False,
) -> Reachability:
    """The report of one seed of a run; ``demos`` are for runs that have none of their own, ``env``
    for one whose environment was given as an object, ``trust`` for one that somebody else made and
    that names modules to import.

    ``depo.reachability("runs/mine").blame``
    """
    if episodes < 1:
        raise DepoError(f"episodes {episodes} is not positive")
    if not isinstance(run, Run) and not (as_path(run, "run") / CHECKPOINTS).is_dir():
        raise DepoError(f"{run} is not a run: the report needs a planner and a skill together")
    opened = as_run(run, env=env, trust=trust)
    source = open_source(opened, "", {}, seed)
    assert source.run is not None
    assert source.policy is not None
    recorded = _unseen(source, source.run.demonstrations())
    if str(demos):
        recorded = load_demonstrations(str(demos))
        check_fits(source, recorded)
    if exact := _exact.get(source.environment.family):
        if recorded is None:
            raise DepoError(f"{run} has no demonstrations to compare plans with: pass --demos FILE")
        return exact(source.policy, source.environment.settings, recorded, source.seed)
    if isinstance(source.planner, CategoricalPlanner):
        raise DepoError(
            f"{source.gymnasium.id} has finite states and no table of its dynamics: reachability "
            "is for grid worlds and vector states"
        )
    variant = source.run.job.variants[0] if source.run.job.variants else ""  # whose skill is shown
    return on_vectors(
        source.policy,
        source.gymnasium,
        seed=source.seed,
        episodes=episodes,
        replay=source.run.path / REPLAY / variant / f"seed-{source.seed}",
        demos=recorded,
    )


def _unseen(source: Source, demos: Demonstrations | None) -> Demonstrations | None:
    """The demonstrations held out from this seed; all where it drew every one."""
    assert source.run is not None
    part: Demos | None = getattr(source.run.job.settings, "demos", None)
    if demos is None or part is None:
        return demos
    return draw_demonstrations(demos, part.episodes, source.seed).held_out or demos


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
        **_by_feature(error, plan - reached[:, columns]),
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


def _by_feature(error: np.ndarray, raw: np.ndarray) -> dict[str, tuple[Any, ...]]:
    """Mean squares and bias of errors (steps, features), standardised and in real units."""
    return {
        "error_by_feature": _numbers(np.mean(error**2, axis=0)),
        "error_raw_by_feature": _numbers(np.mean(raw**2, axis=0)),
        "bias_by_feature": _numbers(np.mean(error, axis=0)),
    }


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


def on_grid(
    policy: DecoupledPolicy, world: GridWorld, demos: Demonstrations, seed: int = 0
) -> Reachability:
    """Exactly: the greedy policy from every allowed start. A plan is reached or it is not."""
    states: list[int] = []
    times: list[int] = []
    every = np.arange(world.states)
    decision = policy.mode(jnp.array(every))
    action, plan = np.asarray(decision.action), np.asarray(decision.plan)
    reached = world.successor[every, action]
    for start in world.starts:
        state = int(start)
        for t in range(world.horizon):
            if state == world.goal:
                break
            states.append(state)
            times.append(t)
            state = int(reached[state])
    visited = np.array(states)
    size = world.settings.size
    apart = np.stack(divmod(plan, size)) - np.stack(divmod(reached, size))
    legal = (world.successor == plan[:, None]).any(axis=1)
    missed = plan != reached
    time = np.array(times)
    over = [float(missed[visited[time == t]].mean()) for t in range(int(time.max()) + 1)]
    moved = float(np.mean(reached[visited] != visited))
    share = float(missed[visited].mean())
    return Reachability(
        seed=seed,
        steps=len(visited),
        unit="share of steps",
        features=("x", "y"),
        **_by_feature(apart[:, visited].T, apart[:, visited].T),
        time=tuple(range(len(over))),
        error_over_time=tuple(over),
        reach_error=share,
        reach_error_relative=share / max(moved, 1e-12) if moved else share,
        unreachable=float((~legal)[visited].mean()),
        unskilled=float((legal & missed)[visited].mean()),
        plans_outside=float((~legal)[visited].mean()),
        reached_outside=0.0,
        visited="the grid world's own table",
        planner_error=_expert_distance(policy, demos, world.states),
        skill_error=float((legal & missed)[visited].mean()),
        slope=1.0,
        inverse_slope=1.0,
        model_error=0.0,
    )


def _on_grid(
    policy: DecoupledPolicy, settings: GridWorldSettings, demos: Demonstrations, seed: int
) -> Reachability:
    return on_grid(policy, GridWorld(settings), demos, seed)


Exact = Callable[[DecoupledPolicy, Any, Demonstrations, int], Reachability]
"""The report of a policy, from an environment's own settings, demonstrations and the seed."""
_exact: dict[str, Exact] = {}


def register_exact(family: str, report: Exact) -> None:
    """Give the report of a family whose dynamics are known; elsewhere a forward model is fitted."""
    add_once(_exact, family, report, "reachability report")


register_exact("grid", _on_grid)


def _expert_distance(policy: DecoupledPolicy, demos: Demonstrations, states: int) -> float:
    """Total variation between h_E and h, mean over demonstrated transitions."""
    count = np.zeros((states, states))
    np.add.at(count, demos.transitions(), 1.0)
    visits = count.sum(axis=1)
    left = np.flatnonzero(visits)
    assert isinstance(policy.planner, CategoricalPlanner)
    own = np.exp(np.asarray(policy.planner.log_probabilities(jnp.array(left))))
    apart = np.abs(count[left] / visits[left, None] - own).sum(axis=1) / 2
    return float(np.average(apart, weights=visits[left]))


def _numbers(values: np.ndarray) -> tuple[float, ...]:
    return tuple(float(x) for x in values)


def _feature_names(
    environment: GymnasiumEnvironment, demos: Demonstrations | None, count: int
) -> tuple[str, ...]:
    """The demonstrations' own names; joints, where those are but numbers and the task is known."""
    given = () if demos is None else demos.feature_names
    if not is_nameless(given):
        return given
    return MujocoStates.names(environment, count) or tuple(f"s{i}" for i in range(count))

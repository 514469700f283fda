"""Reachability on a grid world, where everything is exact."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from depo.analysis.reach_report import Reachability, by_feature
from depo.data.demonstrations import Demonstrations
from depo.environments.grid.gridworld import GridWorld
from depo.models.planner import CategoricalPlanner
from depo.models.policy import DecoupledPolicy


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
        **by_feature(apart[:, visited].T, apart[:, visited].T),
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

from __future__ import annotations

import numpy as np
import pytest

from depo.environments.grid.exact import ExactEvaluator
from depo.environments.grid.gridworld import GridWorld, GridWorldSettings
from depo.environments.grid.table import tabular_gridworld
from depo.evaluation.tables import PolicyTable

WORLD = GridWorld(GridWorldSettings())
EVALUATE = ExactEvaluator(WORLD, tabular_gridworld(WORLD), WORLD.demonstrations(), 0.95)
EXPERT = np.array(WORLD.expert_path())


def shortest_plan() -> np.ndarray:
    """The expert's next cell on its path, any nearer cell elsewhere."""
    plan = np.arange(36)
    for state in np.flatnonzero(WORLD.distance_to_goal > 0):
        targets = WORLD.successor[state]
        plan[state] = targets[WORLD.distance_to_goal[targets].argmin()]
    plan[EXPERT[:-1]] = EXPERT[1:]
    return plan


def table_of(plan: np.ndarray) -> PolicyTable:
    action = np.array(
        [
            list(WORLD.successor[s]).index(p) if p in WORLD.successor[s] else 0
            for s, p in enumerate(plan)
        ]
    )
    return PolicyTable(np.eye(4, dtype=np.float32)[action], action, plan)


def test_the_expert_itself_scores_perfectly() -> None:
    scores = EVALUATE.of_table(table_of(shortest_plan()))
    assert scores["success"] == scores["success_greedy"] == 1.0
    assert scores["divergence"] == pytest.approx(0, abs=1e-12)
    assert scores["legal_moving_demonstrated"] == scores["legal_moving_undemonstrated"] == 1.0
    assert scores["divergence_all_starts"] >= scores["divergence_all_starts_floor"] - 1e-3


def test_staying_is_legal_at_the_border_but_no_move() -> None:
    plan = shortest_plan()
    plan[WORLD.number((5, 0))] = WORLD.number((5, 0))  # a corner: bumping the border stays
    plan[WORLD.number((3, 0))] = WORLD.number((5, 5))  # nowhere near
    scores = EVALUATE.of_table(table_of(plan))
    assert scores["legal_undemonstrated"] == pytest.approx(24 / 25)
    assert scores["legal_moving_undemonstrated"] == pytest.approx(23 / 25)


def test_success_of_a_random_walk_agrees_with_playing_it() -> None:
    uniform = np.full((36, 4), 0.25)
    exact = EVALUATE.success_by_start(uniform)
    generator = np.random.default_rng(0)
    state = np.repeat(WORLD.starts, 4_000)
    arrived = np.zeros(len(state), bool)
    for _ in range(WORLD.horizon):
        state = np.where(
            arrived, state, WORLD.successor[state, generator.integers(4, size=len(state))]
        )
        arrived |= state == WORLD.goal
    played = arrived.reshape(len(WORLD.starts), -1).mean(axis=1)
    np.testing.assert_allclose(exact, played, atol=0.025)


def test_cells_are_counted_once() -> None:
    assert len(EVALUATE.demonstrated) == 10
    assert len(EVALUATE.undemonstrated) == 25
    assert WORLD.goal not in EVALUATE.undemonstrated

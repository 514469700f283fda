from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depo  # noqa: F401  (registers the environment)
from depo.core.errors import DepoError
from depo.environments.grid.gridworld import MOVES, GridWorld, GridWorldSettings


@st.composite
def worlds(draw: st.DrawFn) -> GridWorld:
    size = draw(st.integers(2, 7))
    cells = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1))
    walls = {c for c in draw(st.lists(cells, max_size=5)) if c not in ((0, 0), (size - 1,) * 2)}
    try:
        return GridWorld(
            GridWorldSettings(
                size=size, k=draw(st.integers(1, 4)), walls=tuple(f"{x},{y}" for x, y in walls)
            )
        )
    except DepoError:  # walled in
        return GridWorld(GridWorldSettings(size=size))


@given(worlds())
def test_a_move_reaches_a_free_neighbour_or_stays(world: GridWorld) -> None:
    k = world.settings.k
    for state in range(world.states):
        x, y = world.cell(state)
        for action in range(world.actions):
            dx, dy = MOVES[action // k]
            target = (x + dx, y + dy)
            inside = all(0 <= c < world.settings.size for c in target)
            free = inside and not world.wall[target]
            expected = world.number(target) if free else state
            assert world.successor[state, action] == expected


@given(worlds())
def test_starts_are_allowed_and_their_distribution_is_by_column(world: GridWorld) -> None:
    start = world.start_distribution
    assert start.sum() == pytest.approx(1)
    assert set(np.flatnonzero(start)) == set(world.starts)
    assert world.goal not in world.starts
    columns = start.reshape(world.settings.size, -1).sum(axis=1)
    assert np.allclose(columns[columns > 0], columns.max())


@given(worlds())
def test_the_expert_walks_legally_from_origin_to_goal(world: GridWorld) -> None:
    try:
        path = world.expert_path()
    except DepoError:
        assert world.distance_to_goal[0] < 0
        return
    assert path[0] == 0
    assert path[-1] == world.goal
    assert len(path) - 1 == world.distance_to_goal[0]
    for state, target in pairwise(path):
        assert target in world.successor[state]


def test_the_papers_world() -> None:
    world = GridWorld(GridWorldSettings())
    assert (world.states, world.actions, len(world.starts), world.horizon) == (36, 4, 27, 20)
    assert world.cell(world.goal) == (5, 5)
    start = world.start_distribution.reshape(6, 6)
    assert start[0, 0] == pytest.approx(1 / 36)
    assert start[5, 0] == pytest.approx(1 / 18)
    assert (start[3:, 3:] == 0).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"size": 1}, "size 1"),
        ({"k": 0}, "k 0"),
        ({"goal": "9,9"}, "outside the 6×6"),
        ({"goal": "middle"}, "write it as x,y"),
        ({"walls": ("1,1:2",)}, "wall '2' is not a cell"),
        ({"walls": ("maze.txt",)}, "'maze.txt' is no cell x,y and no rectangle .*--config"),
        ({"walls": ("4,5", "5,4")}, "walled in"),
        ({"walls": ("5,5",)}, "lies in a wall"),
        ({"shaded": "0,0:5,5"}, "all shaded"),
        ({"horizon": -1}, "negative"),
    ],
)
def test_impossible_worlds_are_refused(settings: dict, message: str) -> None:
    with pytest.raises(DepoError, match=message):
        GridWorld(GridWorldSettings(**settings))


def test_a_crossing_detour_is_refused() -> None:
    with pytest.raises(DepoError, match="crosses itself"):
        GridWorld(GridWorldSettings(via=("0,3", "3,0", "0,1"))).expert_path()


def test_a_detour_through_a_wall_is_refused() -> None:
    world = GridWorld(GridWorldSettings(via=("3,3",), walls=("3,3",)))
    with pytest.raises(DepoError, match="cannot walk"):
        world.demonstrations()

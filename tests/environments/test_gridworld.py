from __future__ import annotations

import warnings
from itertools import pairwise

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st

import depo  # noqa: F401  (registers the environment)
from depo.environments.gridworld import MOVES, GridWorld, GridWorldSettings
from depo.environments.tabular import Position, tabular_gridworld
from depo.errors import DepoError


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


@given(worlds(), st.integers(0, 2**31 - 1))
def test_stepping_in_jax_follows_the_tables_and_never_crosses_a_reset(world, seed: int) -> None:
    environment = tabular_gridworld(world)
    key = jax.random.key(seed)
    generator = np.random.default_rng(seed)
    position = environment.reset(key, 16)
    assert set(np.asarray(position.state)) <= set(world.starts)
    for t in range(5):
        action = generator.integers(world.actions, size=16)
        after = environment.step(position, jnp.asarray(action), jax.random.fold_in(key, t))
        reached = world.successor[np.asarray(position.state), action]
        np.testing.assert_array_equal(after.next_state, reached)
        np.testing.assert_array_equal(after.terminated, reached == world.goal)
        np.testing.assert_array_equal(after.reward, reached == world.goal)
        ended = np.asarray(after.terminated | after.truncated)
        np.testing.assert_array_equal(np.asarray(after.position.state)[~ended], reached[~ended])
        assert set(np.asarray(after.position.state)[ended]) <= set(world.starts)
        assert (np.asarray(after.position.elapsed)[ended] == 0).all()
        position = after.position


def test_an_episode_is_cut_at_the_horizon() -> None:
    world = GridWorld(GridWorldSettings(horizon=3))
    environment = tabular_gridworld(world)
    position = Position(jnp.zeros(1, jnp.int32), jnp.zeros(1, jnp.int32))
    down = jnp.ones(1, jnp.int32)
    cuts = []
    for _ in range(3):
        after = environment.step(position, down, jax.random.key(0))
        position = after.position
        cuts.append(bool(after.truncated[0]))
    assert cuts == [False, False, True]


def test_starts_follow_the_distribution() -> None:
    world = GridWorld(GridWorldSettings())
    drawn = tabular_gridworld(world).reset(jax.random.key(0), 200_000).state
    share = np.bincount(np.asarray(drawn), minlength=36) / 200_000
    np.testing.assert_allclose(share, world.start_distribution, atol=0.003)


def test_gymnasiums_checker_passes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*not the same as .*unwrapped.*")
        warnings.filterwarnings("ignore", message=".*spec.*")
        check_env(gym.make("depo/GridWorld-v0", k=2).unwrapped, skip_render_check=True)


def test_the_faces_agree_with_the_tables() -> None:
    one = gym.make("depo/GridWorld-v0", k=3).unwrapped
    state, _ = one.reset(seed=1)
    for action in [0, 4, 11, 9, 2]:
        expected = one.world.successor[state, action]
        state, reward, terminated, _, _ = one.step(action)
        assert state == expected
        assert reward == terminated == (expected == one.world.goal)


def test_a_state_that_is_none_is_refused() -> None:
    env = gym.make("depo/GridWorld-v0", size=3).unwrapped
    with pytest.raises(DepoError, match="state 99 is none of the 9"):
        env.reset(options={"state": 99})


def test_a_detour_through_a_wall_is_refused() -> None:
    world = GridWorld(GridWorldSettings(via=("3,3",), walls=("3,3",)))
    with pytest.raises(DepoError, match="cannot walk"):
        world.demonstrations()


def test_rendering_shows_agent_goal_and_walls() -> None:
    env = gym.make("depo/GridWorld-v0", size=3, walls=("1,1",), render_mode="ansi").unwrapped
    env.reset(options={"state": 0})
    assert env.render() == ". . G\n. # .\nA . .\n"


def test_the_vector_face_keeps_the_last_state_of_an_episode() -> None:
    envs = gym.make_vec("depo/GridWorld-v0", num_envs=64, horizon=4)
    state, _ = envs.reset(seed=0)
    generator = np.random.default_rng(0)
    seen_end = False
    for _ in range(12):
        action = generator.integers(4, size=64)
        expected = envs.world.successor[state, action]
        after, reward, terminated, truncated, info = envs.step(action)
        ended = terminated | truncated
        np.testing.assert_array_equal(after[~ended], expected[~ended])
        np.testing.assert_array_equal(reward == 1, terminated)
        if ended.any():
            seen_end = True
            np.testing.assert_array_equal(info["final_obs"][ended].astype(int), expected[ended])
        state = after
    assert seen_end

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load, save

from depo.core.errors import DepoError
from depo.data.replay import Replay, chunks
from depo.data.transitions import Transitions


def rows(begin: int, count: int) -> Transitions:
    """Transitions that carry their own number."""
    x = np.arange(begin, begin + count, dtype=np.float32)
    return Transitions(x[:, None], -x[:, None], x[:, None] + 1, x, np.arange(count) % 2 == 0)


def filled(capacity: int, sizes: list[int]) -> Replay:
    replay = Replay(capacity, 1, 1)
    for size in sizes:
        replay.add(rows(replay.total, size))
    return replay


sizes = st.lists(st.integers(1, 9), min_size=1, max_size=12)


@given(capacity=st.integers(9, 40), sizes=sizes, newest=st.integers(1, 50))
def test_draws_are_the_newest_rows_and_no_others(
    capacity: int, sizes: list[int], newest: int
) -> None:
    replay = filled(capacity, sizes)
    drawn = replay.draw(np.random.default_rng(0), (500,), newest)
    oldest = sum(sizes) - min(newest, capacity, sum(sizes))
    assert set(drawn.reward) <= set(range(oldest, sum(sizes)))
    assert len(set(drawn.reward)) == min(newest, capacity, sum(sizes))
    np.testing.assert_array_equal(drawn.state[:, 0], drawn.reward)
    np.testing.assert_array_equal(drawn.next_state[:, 0], drawn.reward + 1)


def test_goals_ahead_stay_in_their_episode() -> None:
    replay = Replay(40, 1, 1)
    for begin in (0, 100, 200, 300):  # episodes of 12 steps in each of two copies, in turn
        x = begin + np.arange(12, dtype=np.float32).repeat(2)
        x[1::2] += 1_000
        none = np.zeros(24, np.float32)
        replay.add(Transitions(x[:, None], x[:, None], x[:, None] + 1, none, none > 0))
    for ahead, steps in ((3, 3), (9, 9), (13, 12)):  # an episode has no more than 12
        seen = replay.draw_ahead(np.random.default_rng(0), (500, 2), 99, ahead, copies=2)
        begin, goal = seen[0].state[..., 0], seen[1][..., 0]
        assert (goal - begin == steps).all()
        assert (begin % 100 % 50 + steps <= 12).all()
        possible = [x for x in replay.newest(40).state[:, 0] if x % 100 % 50 + steps <= 12]
        assert set(begin.ravel()) == set(possible)  # all of them, of either copy


def test_goals_are_nearer_where_episodes_are_short() -> None:
    replay = Replay(40, 1, 1)
    x = np.float32([*range(0, 300, 10), 300, 301, 302])[:, None]  # of one step but the last
    replay.add(Transitions(x, x, x + 1, np.zeros(33, np.float32), np.zeros(33, bool)))
    for minibatch, steps in ((1, 3), (2, 2), (3, 1)):
        rows, goals = replay.draw_ahead(np.random.default_rng(0), (9, minibatch), 99, ahead=3)
        assert (goals == rows.state + steps).all()


def test_goals_at_one_distance_teach_the_way_of_least_effort() -> None:
    """x' = x + v, v' = v + a. Of the ways to a goal in n steps white noise takes on average the one
    of least Σ a², whose first action is B'A'ⁿ⁻¹W⁻¹(g − Aⁿs), W = Σ AʲBB'A'ʲ."""
    steps, episodes, generator = 4, 5_000, np.random.default_rng(0)
    a, b = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([0.0, 1.0])
    state, seen = generator.normal(size=(episodes, 2)), []
    for action in generator.normal(size=(8, episodes, 1)):
        seen.append((state, action, state @ a.T + action * b))
        state = seen[-1][-1]
    rows = (np.stack(x, 1, dtype=np.float32) for x in zip(*seen, strict=True))
    none, replay = np.zeros(8 * episodes, np.float32), Replay(8 * episodes, 2, 1)
    replay.add(Transitions(*(x.reshape(8 * episodes, -1) for x in rows), none, none > 0))
    drawn, goals = replay.draw_ahead(generator, (100, 300), 8 * episodes, steps)
    both = np.concatenate([drawn.state, goals], axis=-1).reshape(-1, 4)
    learned = np.linalg.lstsq(both, drawn.action.reshape(-1), rcond=None)[0]
    powers = [np.linalg.matrix_power(a, i) for i in range(steps + 1)]
    reach = sum(np.outer(x, x) for x in (powers[i] @ b for i in range(steps)))
    towards = np.linalg.solve(reach, powers[steps - 1] @ b)
    np.testing.assert_allclose(learned, [*(-towards @ powers[steps]), *towards], atol=0.03)


@given(capacity=st.integers(9, 30), sizes=sizes, cut=st.integers(0, 11), again=sizes)
def test_a_loaded_ring_is_the_saved_one_and_goes_on_alike(
    tmp_path_factory, capacity: int, sizes: list[int], cut: int, again: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("replay")
    cut = min(cut, len(sizes) - 1)
    replay = Replay(capacity, 1, 1)
    for i, size in enumerate(sizes):
        replay.add(rows(replay.total, size))
        if i <= cut or i % 2:
            replay.save(folder)
    replay.save(folder)
    loaded = Replay(capacity, 1, 1)
    loaded.load(folder, replay.total)
    for each in (replay, loaded):
        for size in again:
            each.add(rows(each.total, size))
    for a, b in zip(replay.newest(capacity), loaded.newest(capacity), strict=True):
        np.testing.assert_array_equal(a, b)


def test_chunks_of_a_killed_sitting_are_removed_and_old_ones_dropped(tmp_path: Path) -> None:
    replay = Replay(10, 1, 1)
    for _ in range(6):
        replay.add(rows(replay.total, 5))
        replay.save(tmp_path)
    assert [(c.begin, c.end) for c in chunks(tmp_path)] == [(15, 20), (20, 25), (25, 30)]
    loaded = Replay(10, 1, 1)
    loaded.load(tmp_path, 25)
    assert loaded.newest(10).reward.tolist() == list(range(15, 25))
    assert [c.end for c in chunks(tmp_path)] == [20, 25]


def test_rows_saved_between_two_checkpoints_drop_nothing_that_the_checkpoints_need(
    tmp_path: Path,
) -> None:
    replay = Replay(10, 1, 1)
    for _ in range(3):
        replay.add(rows(replay.total, 5))
        replay.save(tmp_path)
    replay.add(rows(replay.total, 5))
    assert replay.save_until(tmp_path, 17)
    between = Replay(10, 1, 1)
    between.load(tmp_path, 17, checkpoint=15)
    assert between.newest(10).reward.tolist() == list(range(7, 17))
    between.add(rows(17, 13))
    between.save(tmp_path)
    again = Replay(10, 1, 1)
    again.load(tmp_path, 30)
    assert again.newest(10).reward.tolist() == list(range(20, 30))
    again.load(tmp_path, 15)  # may still be gone back to
    assert again.newest(10).reward.tolist() == list(range(5, 15))


def test_rows_that_were_overwritten_cannot_be_saved_any_more(tmp_path: Path) -> None:
    replay = Replay(10, 1, 1)
    replay.add(rows(0, 8))
    replay.add(rows(8, 8))
    assert not replay.save_until(tmp_path, 8)
    assert not chunks(tmp_path)


def test_a_second_stop_is_saved_only_while_all_steps_since_the_checkpoint_are_there(
    tmp_path: Path,
) -> None:
    replay = Replay(10, 1, 1)
    replay.add(rows(0, 4))
    replay.save(tmp_path)
    replay.add(rows(4, 5))
    assert replay.save_until(tmp_path, 9)
    again = Replay(10, 1, 1)
    again.load(tmp_path, 9, checkpoint=4)
    again.add(rows(9, 5))
    assert again.save_until(tmp_path, 14)  # steps 4 to 13 are taken again
    again.add(rows(14, 1))
    assert not again.save_until(tmp_path, 15)  # step 4 is lost, though all since 9 are there


def test_a_missing_or_damaged_chunk_is_said(tmp_path: Path) -> None:
    replay = Replay(100, 1, 1)
    for _ in range(3):
        replay.add(rows(replay.total, 5))
        replay.save(tmp_path)
    chunks(tmp_path)[1].path.write_bytes(b"torn")
    with pytest.raises(DepoError, match="not a readable chunk"):
        Replay(100, 1, 1).load(tmp_path, 15)
    chunks(tmp_path)[1].path.unlink()
    with pytest.raises(DepoError, match="lacks the transitions before 10"):
        Replay(100, 1, 1).load(tmp_path, 15)


def saved(folder: Path) -> Path:
    """The only chunk of a replay with ten rows."""
    filled(20, [10]).save(folder)
    return chunks(folder)[0].path


def rewritten(path: Path, about: dict[str, str] | None, **columns: np.ndarray) -> None:
    arrays = load(path.read_bytes()) | columns
    path.write_bytes(save({name: np.ascontiguousarray(a) for name, a in arrays.items()}, about))


WRONG = {
    "of no number": ({"state": np.full((10, 1), np.nan, np.float32)}, "'state' holds NaN"),
    "infinite": ({"reward": np.full(10, np.inf, np.float32)}, "'reward' holds NaN or infinite"),
    "too few": ({"reward": np.zeros(9, np.float32)}, r"'reward' is float32\[9\], expected 10 rows"),
    "doubles": ({"action": np.zeros((10, 1))}, r"'action' is float64\[10, 1\], expected 10 rows"),
    "flat": ({"state": np.zeros(10, np.float32)}, r"'state' is float32\[10\], expected 10 rows"),
    "uneven": ({"next_state": np.zeros((10, 2), np.float32)}, "differ in length"),
    "more": ({"extra": np.zeros(1)}, "holds other arrays"),
    "longer": (
        {name: np.zeros((10, 3), np.float32) for name in ("state", "next_state")},
        "states of 3 and actions of 1 numbers, this run's have 1 and 1",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_rows_that_are_none_are_refused(tmp_path: Path, name: str) -> None:
    columns, message = WRONG[name]
    rewritten(saved(tmp_path), None, **columns)
    with pytest.raises(DepoError, match=message):
        Replay(20, 1, 1).load(tmp_path, 10)


def test_a_changed_number_is_found_by_the_digest(tmp_path: Path) -> None:
    path = saved(tmp_path)
    whole = bytearray(path.read_bytes())
    whole[-10] ^= 1
    path.write_bytes(whole)
    with pytest.raises(DepoError, match="is damaged, its digest is another"):
        Replay(20, 1, 1).load(tmp_path, 10)


def test_a_renamed_chunk_is_refused(tmp_path: Path) -> None:
    replay = filled(40, [10])
    replay.save(tmp_path)
    replay.add(rows(10, 10))
    replay.save(tmp_path)
    first, second = (chunk.path for chunk in chunks(tmp_path))
    first.write_bytes(second.read_bytes())
    with pytest.raises(DepoError, match="was renamed"):
        Replay(40, 1, 1).load(tmp_path, 20)


def test_chunks_of_the_first_version_have_no_digest_and_load(tmp_path: Path) -> None:
    rewritten(saved(tmp_path), None)
    replay = Replay(20, 1, 1)
    replay.load(tmp_path, 10)
    np.testing.assert_array_equal(replay.newest(10).reward, np.arange(10))


def test_equal_chunks_are_equal_files(tmp_path: Path) -> None:
    """safetensors writes what stands beside arrays in any order."""
    written = set()
    for i in range(20):
        filled(8, [5]).save(tmp_path / str(i))
        written.add(chunks(tmp_path / str(i))[0].path.read_bytes())
    assert len(written) == 1


@pytest.mark.parametrize("capacity", [2**60, 2**53])
def test_a_ring_that_no_memory_holds_is_refused(capacity: int) -> None:
    with pytest.raises(DepoError, match=r"a replay of .* transitions has no place in memory"):
        Replay(capacity, 11, 3)

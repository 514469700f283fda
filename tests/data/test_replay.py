from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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

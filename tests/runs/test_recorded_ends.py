"""Whether recorded episodes end by themselves: arrivals, time limits, recordings that were cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depo.data import Demonstrations
from depo.runs.recorded_ends import mean_time_left, share_of_ends

LIMIT = 1_000


def gait(generator: np.random.Generator, steps: int) -> np.ndarray:
    """A noisy limit cycle, from any phase."""
    angle = 0.3 * np.arange(steps) + generator.uniform(0, 2 * np.pi)
    cycle = np.stack([np.sin(angle), np.cos(angle), np.sin(2 * angle)], axis=1)
    return (cycle + 0.05 * generator.normal(size=cycle.shape)).astype(np.float32)


def arrival(generator: np.random.Generator, steps: int) -> np.ndarray:
    """From anywhere on a circle to its centre, with noise."""
    begin = generator.normal(size=2)
    begin = 3.0 * begin / np.linalg.norm(begin)
    way = begin * np.linspace(1.0, 0.0, steps)[:, None]
    return (way + 0.03 * generator.normal(size=way.shape)).astype(np.float32)


@given(seed=st.integers(0, 2**31), episodes=st.sampled_from([4, 10, 40]))
@settings(max_examples=25, deadline=None)
def test_who_arrives_is_told_from_whom_a_recorder_cut(seed: int, episodes: int) -> None:
    generator = np.random.default_rng(seed)
    lengths = generator.integers(60, 300, episodes)
    lengths[0], lengths[1] = 90, 91  # never all alike
    arrived = Demonstrations.from_episodes([arrival(generator, n) for n in lengths])
    cut = Demonstrations.from_episodes([gait(generator, n) for n in lengths])
    assert share_of_ends(arrived, LIMIT) == pytest.approx(episodes / np.sum(lengths - 1))
    assert share_of_ends(cut, LIMIT) == 0.0


def test_the_time_limit_and_a_recorder_that_cuts_all_alike_are_no_ends() -> None:
    generator = np.random.default_rng(0)
    limited = Demonstrations.from_episodes([arrival(generator, n) for n in (200, 201, 199)])
    assert share_of_ends(limited, limit=200) == 0.0
    assert share_of_ends(limited, limit=500) == pytest.approx(3 / 597)
    alike = Demonstrations.from_episodes([arrival(generator, 200) for _ in range(3)])
    assert share_of_ends(alike, limit=500) == 0.0


@pytest.mark.parametrize(("states", "is_cut"), [(200, True), (201, True), (50, True), (187, False)])
def test_a_single_episode_of_a_round_length_was_cut(states: int, is_cut: bool) -> None:
    one = Demonstrations.from_episodes([arrival(np.random.default_rng(0), states)])
    assert (share_of_ends(one, limit=1_000) == 0.0) == is_cut


def test_ends_at_the_limit_do_not_count_among_those_before_it() -> None:
    generator = np.random.default_rng(0)
    mixed = Demonstrations.from_episodes([arrival(generator, n) for n in (100, 101, 102, 201)])
    assert share_of_ends(mixed, limit=200) == pytest.approx(3 / 500)


@pytest.mark.parametrize("lengths", [(2,), (2, 3), (5, 2, 3), (40,), (12, 400)])
def test_the_shortest_recordings_have_an_answer(lengths: tuple[int, ...]) -> None:
    generator = np.random.default_rng(0)
    demos = Demonstrations.from_episodes([arrival(generator, n) for n in lengths])
    assert 0.0 <= mean_time_left(demos) <= 1.0
    assert share_of_ends(demos, LIMIT) >= 0.0

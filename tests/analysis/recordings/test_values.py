from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from depo.analysis.recordings.check import compare
from depo.analysis.recordings.moves import Moves
from depo.data import Demonstrations
from tests.support.cart import NAMES, demonstrations, explored, recording

WALKS = recording(episodes=3, length=60)


def kinds(walks: list[np.ndarray]) -> list[str]:
    return [finding.kind for finding in compare(demonstrations(walks), explored(), NAMES).findings]


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2), st.integers(0, 59), st.integers(0, 3))
def test_a_number_outside_the_space_is_named_by_its_place(episode, step, feature) -> None:
    walks = [walk.copy() for walk in WALKS]
    walks[episode][step, feature] = 51.0
    found = compare(demonstrations(walks), explored(), NAMES).warnings
    place = f"bounds: episode {episode}, step {step}, '{NAMES[feature]}' is 51"
    assert any(sentence.startswith(place) for sentence in found), found


def test_a_space_that_the_environment_leaves_itself_says_nothing() -> None:
    walks = [walk.copy() for walk in WALKS]
    walks[0][7, 1] = 51.0
    sloppy = replace(explored(), high=np.array([50.0, 0.5, 50.0, 50.0]))  # it begins near 5
    found = compare(demonstrations(walks), sloppy, NAMES).findings
    assert "bounds" not in [finding.kind for finding in found]
    strict = compare(demonstrations(walks), explored(), NAMES).findings
    assert "bounds" in [finding.kind for finding in strict]


def test_an_environment_leaves_its_space_only_by_more_than_rounding() -> None:
    walks = [walk.copy() for walk in WALKS]
    walks[0][7, 1] = 51.0
    own = explored()
    largest = max(own.moves.states[:, 1].max(), own.moves.reached[:, 1].max())
    rounded = replace(own, high=np.array([50.0, np.float32(largest) - 1e-6, 50.0, 50.0]))
    found = compare(demonstrations(walks), rounded, NAMES).findings
    assert "bounds" in [finding.kind for finding in found]


def test_a_feature_that_is_stuck_is_named_once() -> None:
    assert kinds([np.c_[walk[:, :3], np.full(len(walk), 7.0)] for walk in WALKS]) == ["constant"]


def test_a_force_without_contact_and_a_goal_of_one_episode_may_stay_as_they_are() -> None:
    seen = explored().moves
    force = np.where(np.arange(len(seen.states)) % 3 == 0, 1.0, 0.0)
    goal = np.repeat(np.random.default_rng(0).normal(size=len(seen.states) // 50 + 1), 50)
    more = np.stack([force, goal[: len(force)]], axis=1)
    moves = Moves(
        np.c_[seen.states, more],
        np.c_[seen.reached, np.roll(force, -1), more[:, 1]],
        np.c_[seen.starts, np.zeros((len(seen.starts), 1)), goal[: len(seen.starts)]],
    )
    own = replace(explored(), moves=moves, low=np.full(6, -50.0), high=np.full(6, 50.0))
    walks = [np.c_[walk, np.zeros(len(walk)), np.full(len(walk), 0.3)] for walk in WALKS]
    names = (*NAMES, "force", "goal")
    one, all_of_them = (Demonstrations.from_episodes(w) for w in (walks[:1], walks))
    assert "constant" not in [finding.kind for finding in compare(one, own, names).findings]
    assert "'goal' never changes" in compare(all_of_them, own, names).warnings[0]


def test_a_column_written_twice_is_named_once() -> None:
    assert kinds([walk[:, [0, 1, 2, 2]] for walk in WALKS]) == ["duplicate"]


def test_states_that_are_held_are_named_once() -> None:
    assert kinds([np.repeat(walk, 2, axis=0) for walk in WALKS]) == ["repeated"]


def test_an_expert_that_rests_at_the_end_is_not_blamed() -> None:
    rests = [np.concatenate([walk, np.repeat(walk[-1:], 9, axis=0)]) for walk in WALKS]
    assert "repeated" not in kinds(rests)

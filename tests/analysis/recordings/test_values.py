from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from depo.analysis.recordings.check import compare
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


def test_a_feature_that_is_stuck_is_named_once() -> None:
    assert kinds([np.c_[walk[:, :3], np.full(len(walk), 7.0)] for walk in WALKS]) == ["constant"]


def test_a_column_written_twice_is_named_once() -> None:
    assert kinds([walk[:, [0, 1, 2, 2]] for walk in WALKS]) == ["duplicate"]


def test_states_that_are_held_are_named_once() -> None:
    assert kinds([np.repeat(walk, 2, axis=0) for walk in WALKS]) == ["repeated"]


def test_an_expert_that_rests_at_the_end_is_not_blamed() -> None:
    rests = [np.concatenate([walk, np.repeat(walk[-1:], 9, axis=0)]) for walk in WALKS]
    assert "repeated" not in kinds(rests)

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from depo.analysis.recordings.episodes import find_few, find_lengths
from depo.data import Demonstrations


@given(st.lists(st.integers(2, 30), min_size=1, max_size=5), st.integers(1, 30))
def test_episodes_longer_than_the_limit_are_named(lengths: list[int], limit: int) -> None:
    """A recording of n steps has n + 1 states."""
    found = find_lengths(Demonstrations.from_episodes([[0] * n for n in lengths]), limit)
    steps = [n - 1 for n in lengths]
    assert bool(found) == (max(steps) > limit)
    if found:
        assert f"episode {steps.index(max(steps))} has {max(steps)} steps" in found[0].sentence


def test_no_limit_and_finer_steps() -> None:
    demos = Demonstrations.from_episodes([[0] * 500])
    assert find_lengths(demos, None) == []
    assert find_lengths(demos, 200, step_size=0.4) == []
    assert find_lengths(demos, 200, step_size=0.8)


def test_a_handful_of_steps_is_said_to_be_too_few() -> None:
    assert not find_few(Demonstrations.from_episodes([[0] * 6] * 4))
    (one,) = find_few(Demonstrations.from_episodes([[0, 0]]))
    assert "has one step, too few" in one.sentence
    (some,) = find_few(Demonstrations.from_episodes([[0] * 5, [0] * 12]))
    assert "has 15 steps in all" in some.sentence

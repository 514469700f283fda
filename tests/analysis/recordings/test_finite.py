from __future__ import annotations

import pytest

import depo
from depo.data import Demonstrations

LAKE = [0, 4, 8, 9, 13, 14, 15]


def said(*walks: list[int]) -> tuple[str, ...]:
    demos = Demonstrations.from_episodes([list(walk) for walk in walks])
    return depo.check_demonstrations(
        demos, "FrozenLake-v1", env_args={"is_slippery": False}, steps=1000
    ).warnings


def test_a_walk_over_the_lake_fits() -> None:
    assert said(LAKE, LAKE) == ()


@pytest.mark.parametrize(
    ("walk", "words"),
    [
        ([0, 4, 16], "bounds: episode 0, step 2 is state 16, the environment has states 0 to 15"),
        ([15, 14, 13], "starts: 1 of 1 episodes start where no reset does (episode 0, step 0"),
        ([0, 2, 0, 3] * 20, "reachable: of "),
    ],
)
def test_what_the_lake_does_not_have_is_named(walk: list[int], words: str) -> None:
    (sentence,) = said(walk)
    assert sentence.startswith(words)

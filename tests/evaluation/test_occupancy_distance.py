from __future__ import annotations

import numpy as np
import pytest

from depo.core.errors import DepoError
from depo.evaluation.occupancy_distance import occupancy_distance


def walks(count: int, seed: int, shift: float = 0.0, stretch: float = 1.0) -> list[np.ndarray]:
    """Episodes that wander around a place, each of its own."""
    draw = np.random.default_rng(seed)
    return [
        shift + stretch * np.cumsum(draw.normal(size=(60, 3)), axis=0) * 0.2 for _ in range(count)
    ]


def test_the_same_process_cannot_be_told_apart() -> None:
    found = [occupancy_distance(walks(8, i), walks(8, 100 + i)) for i in range(4)]
    assert abs(np.mean([own.accuracy for own in found]) - 0.5) < 0.08
    assert sum(own.low <= 0.5 <= own.high for own in found) >= 3


def test_other_speeds_at_the_same_places_are_told_apart() -> None:
    """Features alone say little: the changes from state to state do."""
    fast = [own[::5] for own in walks(40, 2)]
    assert occupancy_distance(fast, walks(8, 1)).low > 0.55


def test_the_feature_that_is_off_is_named_by_its_distance() -> None:
    agent = walks(6, 3)
    for episode in agent:
        episode[:, 1] += 5.0
    found = occupancy_distance(agent, walks(6, 4), ("x", "y", "z"))
    assert found.features[int(np.argmax(found.distance))] == "y"
    deviation = np.concatenate(walks(6, 4))[:, 1].std()
    assert np.isclose(found.distance[1], 5.0 / deviation, rtol=0.3)
    assert np.mean(found.floor) < 1.0


def test_a_single_recorded_episode_is_cut_into_blocks() -> None:
    found = occupancy_distance(walks(5, 5), walks(1, 6))
    assert found.expert_episodes == 1
    assert 0.0 <= found.low <= found.accuracy <= found.high <= 1.0


def test_a_feature_that_never_moves_is_no_trouble() -> None:
    still = [np.concatenate([own, np.ones((60, 1))], axis=1) for own in walks(4, 7)]
    found = occupancy_distance(still, still)
    assert found.distance[3] == 0.0


def test_nothing_to_compare_is_refused() -> None:
    with pytest.raises(DepoError, match="recording has no episode"):
        occupancy_distance(walks(2, 8), [])

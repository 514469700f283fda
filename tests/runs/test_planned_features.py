from __future__ import annotations

from typing import ClassVar

import gymnasium as gym
import pytest

import depo
from depo.api import make_job
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.methods.depo import OffPolicyDePO
from depo.methods.settings_tree import with_values
from depo.runs.planned_features import planned_features
from depo.runs.problem import open_problem
from tests.environments.point import ID, Point


def planning(words: str) -> OffPolicyDePO:
    return with_values(OffPolicyDePO(), {"plans": words})


class Named(Point):
    """Says what its features are."""

    metadata: ClassVar = {"render_modes": [], "feature_names": ["x", "y"]}


def test_a_feature_to_plan_is_known_without_demonstrations() -> None:
    gym.register("depo-test/Named-v0", entry_point=Named, max_episode_steps=40)
    problem = open_problem(
        make_job("depo-rl", env="depo-test/Named-v0", steps=5_000, overrides={"plans": "y"})
    )
    problem.close()
    assert problem.learner.collectors[0].shape().predicts == (1,)  # type: ignore[union-attr]


def test_what_motors_drive_can_be_planned_by_the_joints_names() -> None:
    hopper = GymnasiumEnvironment("Hopper-v5")
    nameless = tuple(f"s{i}" for i in range(11))

    def planned(words: str, names: tuple[str, ...] = nameless) -> tuple[int, ...]:
        return planned_features(planning(words), hopper, names, 11)

    assert planned("motors") == (8, 9, 10) == planned("thigh', leg', foot'")
    assert planned("motors, rootz") == (0, 8, 9, 10)
    assert planned("s8, 9") == (8, 9)
    assert planned("motors", tuple("abcdefghijk")) == (8, 9, 10)  # names of one's own
    with pytest.raises(depo.DepoError, match="'motor': did you mean 'motors'"):
        planned("motor")


def test_motors_are_not_known_elsewhere() -> None:
    with pytest.raises(depo.DepoError, match=r"'motors': \(known: x, y\)"):
        planned_features(planning("motors"), GymnasiumEnvironment(ID), ("x", "y"), 2)

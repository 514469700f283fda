from __future__ import annotations

from typing import ClassVar

import gymnasium as gym
import jax
import numpy as np
import pytest

import depo
from depo.api import make_job
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.methods.depo import OffPolicyDePO
from depo.methods.settings_tree import with_values
from depo.models.policy import GaussianActor
from depo.runs.planned_features import planned_features
from depo.runs.problem import open_problem
from tests.environments.point import ID, Point
from tests.support import reach


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


def test_a_goal_is_seen_not_planned_and_stays_the_goal() -> None:
    """Its environment draws another once it is reached, in demonstrations as in training."""
    demos, goal = reach.walks(redraws=True), [2, 3]
    state, after = demos.transitions()
    assert (state[:, goal] != after[:, goal]).any()
    settings = {"batch_steps": 50, "copies": 1, "random_steps": 50}
    job = make_job(
        "depo",
        env=f"{reach.__name__}:make_reach",
        env_args={"redraws": True},
        demos=demos,
        steps=1_000,
        overrides=settings,
    )
    problem = open_problem(job, demos)
    collector = problem.learner.collectors[0]  # type: ignore[union-attr]
    shape = collector.shape()
    assert (shape.normaliser.mean.shape, shape.predicts) == ((6,), (0, 1, 4, 5))
    for x in (0, 1):
        np.testing.assert_array_equal(collector.expert[x][:, goal], collector.expert[0][:, goal])
    collector.reset(0)
    collector.gather(GaussianActor(jax.random.key(0), shape.normaliser, 2, (8,)))
    rows = collector.replay.rows(0, 50)
    assert len(np.unique(rows.state[:, 2])) > 1
    np.testing.assert_array_equal(rows.state[:, goal], rows.next_state[:, goal])
    assert (rows.state[:, :2] != rows.next_state[:, :2]).any()
    problem.close()


def test_gaifo_dp_plans_no_goal_either() -> None:
    demos, small = reach.walks(), {"random_steps": 50, "hidden": 8}
    job = make_job(
        "gaifo-dp", env=f"{reach.__name__}:make_reach", demos=demos, steps=1_000, overrides=small
    )
    problem = open_problem(job, demos)
    planner, skill = (
        getattr(problem.learner.policy(problem.initial_state(), 0), part)
        for part in ("planner", "skill")
    )
    assert planner.predicts == skill.predicts == (0, 1, 4, 5)
    problem.close()


def test_features_in_another_order_are_refused() -> None:
    demos = reach.walks(2)
    other = depo.Demonstrations.from_episodes(
        [episode[:, ::-1] for episode in demos], feature_names=demos.feature_names[::-1]
    )
    job = make_job("depo", env=f"{reach.__name__}:make_reach", demos=other, steps=6_000)
    with pytest.raises(depo.DepoError, match=r"'observation.x1' as feature 0, .* put the columns"):
        open_problem(job, other)


def test_a_goal_alone_is_nothing_to_plan() -> None:
    only = GymnasiumEnvironment(f"{reach.__name__}:make_reach", observe="desired_goal")
    with pytest.raises(depo.DepoError, match="there is nothing to plan"):
        planned_features(planning(""), only, only.feature_names(), 2)

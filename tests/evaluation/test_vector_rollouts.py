"""Scores of policies whose every number can be computed by hand."""

from __future__ import annotations

import gymnasium as gym
import jax
import numpy as np
import pytest

from depo.core.errors import DepoError
from depo.data import Demonstrations
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.evaluation.vector_rollouts import Episodes, Player, score
from depo.models.policy import DecoupledPolicy
from depo.models.skill import AnalyticSkill
from tests.environments.point import ID, STEP, Point, inverse, walking


def right(speed: float, skill=inverse) -> DecoupledPolicy:
    """Plans so many steps to the right, standardised by 0 ± 2; the deviation is one of those."""
    return DecoupledPolicy(walking((speed * STEP, 0.0), scale=2.0), AnalyticSkill(skill))


def play(policy, episodes: int = 3, noise: float = 0.0, **arguments):
    simulator = Player(GymnasiumEnvironment(ID, arguments), seed=0, episodes=episodes)
    try:
        return simulator.play(policy, noise=noise)
    finally:
        simulator.close()


def test_plans_that_are_reached_have_no_error_and_the_rest_is_as_by_hand() -> None:
    played = play(right(0.5))
    start = played.state[0]
    scores = score(right(0.5), played, expert_return=-5.0, random_return=-25.0)
    assert scores["episode_length"] == 40
    by_hand = -40 * np.abs(start[:, 1])
    assert scores["return"] == pytest.approx(by_hand.mean(), rel=1e-4)
    assert scores["return_worst_episode"] == pytest.approx(by_hand.min(), rel=1e-4)
    assert scores["return_relative"] == pytest.approx((by_hand.mean() + 25) / 20, rel=1e-4)
    assert scores["reach_error"] < 1e-10
    assert scores["skill_error"] < 1e-8


def test_noise_is_added_to_what_the_policy_wants_and_stays_within_bounds() -> None:
    quiet, noisy = (play(right(0.9), episodes=30, noise=noise) for noise in (0.0, 0.2))
    strayed = noisy.action - quiet.action
    across = strayed[..., 1]  # wants 0, so nothing is cut off
    assert across.std() == pytest.approx(0.2, rel=0.1)
    assert abs(across.mean()) < 0.03
    assert noisy.action.max() == 1.0
    np.testing.assert_array_equal(play(right(0.9), episodes=30, noise=0.2).action, noisy.action)


def test_an_expert_no_better_than_chance_is_no_measure() -> None:
    scores = score(right(0.5), play(right(0.5)), expert_return=0.0, random_return=0.0)
    assert "return_relative" not in scores


def test_a_skill_that_falls_short_is_measured_in_every_unit() -> None:
    def half(state, target):
        return 0.5 * inverse(state, target)

    scores = score(right(1.0, half), play(right(1.0, half)))
    missed = (0.5 * STEP) ** 2 / 2  # half a step in one of two features
    assert scores["reach_error_raw"] == pytest.approx(missed, rel=1e-3)
    assert scores["reach_error"] == pytest.approx(missed / 4, rel=1e-3)  # deviation 2
    assert scores["reach_error_relative"] == pytest.approx(1.0, rel=1e-3)  # as far as it went
    assert scores["skill_error"] == pytest.approx(0.25**2, rel=1e-3)  # of the action ½, it says ¼


def test_an_episode_that_ends_counts_its_last_step_once() -> None:
    played = play(right(1.0), episodes=4)
    ends = np.array([int(np.ceil((4 - x) / STEP + 1e-4)) for x in played.state[0, :, 0]])
    assert played.lengths().tolist() == np.minimum(ends, 40).tolist()


def test_the_likelihood_is_that_of_held_out_transitions() -> None:
    walks = Demonstrations.from_episodes([np.array([[0.0, 0.0], [0.05, 0.0], [0.1, 0.2]])])
    scores = score(right(0.5), play(right(0.5)), held_out=walks)
    errors = np.array([[0.0, 0.0], [0.0, 0.2]]) / 2.0  # a density of standardised states
    expected = -0.5 * errors**2 - 0.5 * np.log(2 * np.pi)
    assert scores["planner_log_likelihood"] == pytest.approx(expected.sum(axis=1).mean(), abs=1e-3)


def test_an_episode_that_never_ends_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("depo.environments.vector_stepper.LONGEST", 10)
    with pytest.raises(DepoError, match=r"has not ended after 10 steps: register it with a time"):
        play(right(0.0))


def test_episodes_are_played_to_the_limit_of_their_environment() -> None:
    gym.register("depo-test/Long-v0", entry_point=Point, max_episode_steps=1_100)
    simulator = Player(GymnasiumEnvironment("depo-test/Long-v0"), seed=0, episodes=1)
    played = simulator.play(right(0.0))
    simulator.close()
    assert played.lengths().tolist() == [1_100]


def test_episodes_of_another_length_compile_nothing() -> None:
    """Each number of rows would be compiled and kept for ever: a long run grew by 3 GB an hour."""
    played, programs = play(right(0.5)), []
    score(right(0.5), played)

    def heard(event: str, seconds: float, **_: object) -> None:
        programs.append(event) if "backend_compile" in event else None

    jax.monitoring.register_event_duration_secs_listener(heard)
    try:
        shorter = score(right(0.5), Episodes(*(column[:37] for column in played)))
    finally:
        jax.monitoring.clear_event_listeners()
    assert shorter["episode_length"] == 37
    assert not programs


def test_silence_is_no_success_where_some_steps_report_one() -> None:
    played = play(right(0.5))
    quiet = played._replace(succeeded=np.full_like(played.succeeded, np.nan))
    assert "success" not in score(right(0.5), quiet)
    once = quiet.succeeded.copy()
    once[-1, 0] = 1.0
    assert score(right(0.5), quiet._replace(succeeded=once))["success"] == pytest.approx(1 / 3)

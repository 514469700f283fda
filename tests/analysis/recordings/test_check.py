"""Each mistake is named in one sentence, and a recording that fits in none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import depo
from depo.analysis.recordings.check import RecordingCheck, check_in, compare
from depo.core.errors import DepoError
from depo.data import Demonstrations, load_demonstrations
from depo.environments.by_name import named_environment
from tests.support.cart import ID, NAMES, STEP, demonstrations, explored, recording

SHARED = Path(__file__).parents[4] / "shared" / "demos"
OTHERS = {
    "inverted_pendulum_sac": "inverted-pendulum",
    "hopper_td3": "hopper",
    "walker2d_sac": "walker2d",
    "half_cheetah_sac": "half-cheetah",
    "half_cheetah_medium": "half-cheetah",
    "ant_27d": "ant",
    "humanoid_45d": "humanoid",
}


def checked(walks: list[np.ndarray]) -> RecordingCheck:
    return compare(demonstrations(walks), explored(), NAMES)


def only(walks: list[np.ndarray]) -> str:
    """The one sentence."""
    (sentence,) = checked(walks).warnings
    return sentence


def test_an_expert_that_goes_where_random_actions_do_not_fits() -> None:
    found = depo.check_demonstrations(demonstrations(recording()), ID)
    assert found.fits, found.warnings
    states, random = demonstrations(recording()).observations, explored().moves.states
    outside = (states < random.min(axis=0)) | (states > random.max(axis=0))
    assert outside.any(axis=1).mean() > 0.1


def test_millimetres_are_named() -> None:
    said = only([walk * [1000, 1000, 1, 1] for walk in recording()])
    assert said.startswith("units: 'x' and 'y' are about 1,000 times as large")
    assert said.endswith("millimetres where the environment has metres?")


@pytest.mark.parametrize("columns", [[1, 0, 2, 3], [2, 3, 0, 1], [3, 1, 0, 2]])
def test_another_order_is_named(columns: list[int]) -> None:
    walks = [walk[:, columns] for walk in recording()]
    found = compare(Demonstrations.from_episodes(walks), explored(), NAMES).warnings
    assert len(found) == 1
    assert found[0].startswith("order: ")
    assert "put the columns in the environment's order" in found[0]


def test_two_exchanged_features_are_named() -> None:
    walks = [walk[:, [1, 0, 2, 3]] for walk in recording()]
    said = compare(Demonstrations.from_episodes(walks), explored(), NAMES).warnings[0]
    assert "'x' and 'y' are exchanged" in said


def test_a_recording_at_50_hz_in_an_environment_of_20_hz_is_named() -> None:
    said = only(recording(seconds=0.02, length=400))
    assert said.startswith("step size: consecutive states are about 0.4 steps of the environment")
    assert "at some 50 Hz in an environment of 20 Hz" in said


def test_degrees_in_positions_and_velocities_are_named() -> None:
    """Their slope is as it should be: starts tell."""
    said = only([walk * np.rad2deg([1, 0, 1, 0]) + walk * [0, 1, 0, 1] for walk in recording()])
    assert said.startswith("units: 'x' and 'vx' are about 57.3 times as large")


def test_names_in_another_order_are_enough() -> None:
    demos = Demonstrations.from_episodes(recording(), feature_names=("y", "x", "vx", "vy"))
    (said,) = compare(demos, explored(), NAMES).warnings
    assert said.startswith("names: feature 0 is 'y' in the recording and 'x' in the environment")


def test_a_start_in_mid_motion_is_no_unit() -> None:
    said = only([walk[40:] for walk in recording()])
    assert said.startswith("starts: ")
    assert "episode" in said
    assert "step 0, '" in said


def test_velocities_that_are_changes_in_a_step_are_named() -> None:
    said = only([walk * [1, 1, STEP, STEP] for walk in recording()])
    assert said.startswith("units: 'vx' and 'vy' are about 1/20 as large")
    assert said.endswith("changes in a step where the environment has velocities?")


def test_episodes_written_as_one_are_named() -> None:
    said = only([np.concatenate([walk[:60] for walk in recording(episodes=3)])])
    assert said.startswith("range: in 2 of 179 steps positions jump as no velocity says (after ")
    assert "episode 0, step 59, '" in said


def test_a_small_offset_in_every_start_is_named() -> None:
    said = only([walk + np.array([0, 0.36, 0, 0]) for walk in recording(episodes=8)])
    assert said.startswith("starts: 'y' begins where no reset does")


def test_velocities_that_are_none_are_named() -> None:
    noise = np.random.default_rng(0)
    walks = [np.c_[walk[:, :3], noise.uniform(-1, 1, len(walk))] for walk in recording()]
    for walk in walks:
        walk[0, 3] = 0.0
    said = only(walks)
    assert said.startswith("velocity: 'y' does not change as its velocity says")


def test_a_leap_is_named() -> None:
    """A velocity whose pair is broken anyway, and that jumps."""
    noise = np.random.default_rng(0)
    walks = [np.c_[w[:, :3], w[:, 3] + noise.uniform(-40, 40, len(w))] for w in recording()]
    assert "range: 'vy' changes far more in a step" in " ".join(checked(walks).warnings)


def test_steps_that_no_action_makes_are_named() -> None:
    """Eight times the force, from rest: where exploration was."""
    walks = []
    for walk in recording(episodes=30, length=4):
        pushed = [walk[0]]
        for _ in range(3):
            faster = pushed[-1][2:] + STEP * np.array([32.0, 0.0])
            mean = (pushed[-1][2:] + faster) / 2
            pushed.append(np.concatenate([pushed[-1][:2] + STEP * mean, faster]))
        walks.append(np.array(pushed))
    assert only(walks).startswith("reachable: of ")


@pytest.mark.parametrize(("env", "holds"), [(ID, "4"), ("gridworld", "finite states")])
def test_another_state_space_is_named(env: str, holds: str) -> None:
    walks = [walk[:, :3] for walk in recording(episodes=2, length=5)]
    (said,) = depo.check_demonstrations(Demonstrations.from_episodes(walks), env).warnings
    assert said.startswith("dimension: the recording ")
    assert holds in said


def test_what_does_not_fit_is_refused_if_asked() -> None:
    found = checked([walk * [1000, 1, 1, 1] for walk in recording()])
    with pytest.raises(DepoError, match=r"mine\.npz does not fit the environment: units: 'x'"):
        found.refuse("mine.npz")
    checked(recording()).refuse()


def test_nothing_is_explored_by_no_steps() -> None:
    with pytest.raises(DepoError, match="steps 0 is not positive"):
        depo.check_demonstrations(demonstrations(recording()), ID, steps=0)


@pytest.mark.parametrize(
    "name",
    [
        "hopper",
        pytest.param("half-cheetah", marks=pytest.mark.slow),
        pytest.param("walker2d", marks=pytest.mark.slow),
        pytest.param("inverted-pendulum", marks=pytest.mark.slow),
    ],
)
def test_what_ships_fits(name: str) -> None:
    assert depo.check_demonstrations(name, name).fits


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.exists(), reason="other people's recordings are not here")
@pytest.mark.parametrize("file", OTHERS)
def test_other_experts_of_older_simulators_fit(file: str) -> None:
    environment = named_environment(OTHERS[file]).gymnasium()
    found = check_in(load_demonstrations(SHARED / f"{file}.npz"), environment)
    assert found.fits, found.warnings


@pytest.mark.parametrize("lengths", [(2,), (12,), (2, 2, 2, 2)])
def test_of_a_handful_of_steps_nothing_else_is_said(lengths: tuple[int, ...]) -> None:
    said = only([walk[:n] for walk, n in zip(recording(), lengths, strict=False)])
    assert said.startswith("few: the recording has")


@pytest.mark.parametrize("lengths", [(300,), (7, 7, 7, 7), (2, 3, 30, 300)])
def test_few_short_and_uneven_episodes_fit(lengths: tuple[int, ...]) -> None:
    found = checked([walk[:n] for walk, n in zip(recording(), lengths, strict=False)])
    assert found.fits, found.warnings

"""What features alone do not show: recorded steps are done again in the simulator."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from depo.analysis.recordings.check import RecordingCheck, compare
from depo.analysis.recordings.exploration import Explored, explore
from depo.analysis.recordings.named import environment_names
from depo.analysis.simulator import Simulator
from depo.data import Demonstrations, load_demonstrations
from depo.environments.by_name import named_environment

HOPPER = named_environment("hopper").gymnasium()
THIGH, FOOT, THIGH_RATE, FOOT_RATE, FORWARD = 2, 4, 8, 10, 5


@pytest.fixture(scope="module")
def explored() -> Explored:
    return explore(HOPPER)


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    made = Simulator.of(HOPPER, 11)
    assert made is not None
    yield made
    made.close()


@pytest.fixture(scope="module")
def judge(explored: Explored, simulator: Simulator) -> Callable[[np.ndarray], RecordingCheck]:
    names = environment_names(HOPPER, 11)
    lengths = load_demonstrations("hopper").episode_lengths

    def judged(states: np.ndarray) -> RecordingCheck:
        demos = Demonstrations(states.astype(np.float32), lengths)
        return compare(demos, explored, names, simulator)

    return judged


def recorded() -> np.ndarray:
    return load_demonstrations("hopper").observations.astype(np.float64)


def flipped(*features: int) -> np.ndarray:
    return recorded() * np.where(np.isin(np.arange(11), features), -1, 1)


def exchanged() -> np.ndarray:
    columns = np.arange(11)
    columns[[THIGH, FOOT, THIGH_RATE, FOOT_RATE]] = FOOT, THIGH, FOOT_RATE, THIGH_RATE
    return recorded()[:, columns]


@pytest.mark.parametrize(
    ("states", "said"),
    [
        (exchanged(), "order: 'thigh' and 'foot' are exchanged, velocities too"),
        (flipped(FOOT, FOOT_RATE), "sign: 'foot' has the other sign, velocity too"),
        (flipped(FORWARD), "sign: 'rootx'' has the other sign (done again"),
        (flipped(FOOT_RATE), "sign: 'foot' goes the other way than its velocity says"),
        (recorded() + 0.5 * np.eye(11)[THIGH], "zero: 'thigh' is larger by 0.5"),
        (recorded().round(2), "rounded: 'rootz', 'rooty' and 'thigh' are rounded: 'rooty' to"),
    ],
)
def test_each_is_named_in_one_sentence(
    judge: Callable[[np.ndarray], RecordingCheck], states: np.ndarray, said: str
) -> None:
    (found,) = judge(states).warnings
    assert found.startswith(said)


@pytest.mark.parametrize("kept", [slice(None), slice(0, 1), slice(3, 5)])
def test_right_recordings_have_no_warning(
    explored: Explored, simulator: Simulator, kept: slice
) -> None:
    demos = load_demonstrations("hopper")
    some = demos.select([*range(demos.episodes)][kept])
    names = environment_names(HOPPER, 11)
    assert compare(some, explored, names, simulator).fits
    short = Demonstrations.from_episodes([episode[:20] for episode in demos])
    assert compare(short, explored, names, simulator).fits


def test_digits_that_a_step_does_not_need_may_be_missing(
    judge: Callable[[np.ndarray], RecordingCheck],
) -> None:
    assert judge(recorded().round(4)).fits

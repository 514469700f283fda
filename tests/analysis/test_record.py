"""A run's policy as demonstrations."""

from __future__ import annotations

import numpy as np
import pytest

from depo.analysis.record import record
from depo.api import make_job
from depo.core.errors import DepoError
from depo.runs.run import Run
from depo.runs.training import begin
from tests.environments.point import ID


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    return begin(
        make_job("sac", env=ID, overrides={"hidden": 16}), tmp_path_factory.mktemp("runs") / "sac"
    )


def test_every_episode_is_kept_and_says_who_played_it(run: Run) -> None:
    demos = record(run, episodes=3)
    assert demos.episodes == 3
    assert demos.episode_lengths.tolist() == [41, 41, 41]
    assert demos.actions is None
    assert demos.metadata["source"].endswith("seed 0, deterministic policy")


def test_with_noise_it_goes_elsewhere_from_the_same_starts_and_says_so(run: Run) -> None:
    quiet, noisy = (record(run, episodes=3, noise=noise, actions=True) for noise in (0.0, 0.3))
    starts = np.arange(3) * 41
    np.testing.assert_array_equal(quiet.observations[starts], noisy.observations[starts])
    assert np.abs(quiet.observations - noisy.observations).max() > 0.05
    assert noisy.metadata["source"].endswith("deterministic policy with noise 0.3")
    moved = np.diff(noisy.observations[:41], axis=0)
    np.testing.assert_allclose(moved, 0.1 * noisy.actions[:40], atol=1e-5)  # the action as played


@pytest.mark.parametrize("noise", [-0.1, 1.5, float("nan")])
def test_noise_out_of_range_is_refused(run: Run, noise: float) -> None:
    with pytest.raises(DepoError, match="not between 0 and 1"):
        record(run, noise=noise)


def test_unknown_seeds_and_no_episodes_are_refused(run: Run) -> None:
    with pytest.raises(DepoError, match=r"has the seeds \[0\], not 7"):
        record(run, seed=7)
    with pytest.raises(DepoError, match="not positive"):
        record(run, episodes=0)

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from depo.core.errors import DepoError
from depo.driving.drivers import ConstantVelocity, ExpertReplay
from depo.driving.environment import DrivingEnvironment
from depo.driving.opening import open_environment
from depo.driving.scene import scene_of
from depo.driving.scores import Drives, play, scores
from depo.driving.settings import DrivingSettings
from depo.driving.traffic.preparation import split_of
from depo.driving.vehicles import VEHICLES
from depo.evaluation.densities import authors_divergence, road_divergence, wasserstein
from depo.evaluation.statistics import mean_scores
from depo.plotting.drive import render
from tests.support.traffic import flowing

AREA = ((0.0, 200.0), (0.0, 20.0))


def test_divergence_of_known_densities() -> None:
    """Two Gaussians Δ apart: Δ²/(2σ²), with the kernel's variance added to σ²."""
    generator = np.random.default_rng(0)
    agent = generator.normal((100, 10), (12, 1.5), (100_000, 2))
    expert = generator.normal((112, 10), (12, 1.5), (100_000, 2))
    known = 12**2 / (2 * (12**2 + 3**2))
    assert road_divergence(agent, expert, AREA) == pytest.approx(known, rel=0.05)
    assert road_divergence(agent, agent, AREA) == 0.0
    nowhere = np.full((10, 2), 10.0)
    assert 3 < road_divergence(nowhere, expert, AREA) < 20  # finite where the expert never was


def test_the_authors_number_is_what_their_formula_says() -> None:
    generator = np.random.default_rng(0)
    agent, expert = generator.normal(size=(40, 2)), generator.normal(0.3, 1.0, size=(50, 2))
    points = np.stack(np.meshgrid(np.arange(100) / 100, np.arange(100) / 100), -1).reshape(-1, 2)
    p, q = (
        np.exp(-((points[:, None] - z) ** 2).sum(-1) / 2e-4).sum(1) / (len(z) * 2e-4 * np.pi) + 1e-4
        for z in (agent, expert)
    )
    expected = np.sum(p * np.log(p / q)) / 100
    found = authors_divergence(agent, expert, np.zeros(2), np.ones(2))
    assert found == pytest.approx(expected, rel=1e-6)


def test_positions_in_one_lane_have_a_finite_divergence() -> None:
    place = np.stack([np.linspace(0, 1, 20), np.full(20, 2.0)], axis=1)
    found = authors_divergence(place, place, place.mean(axis=0), place.std(axis=0))
    assert found == pytest.approx(0.0)


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1.0])
def test_a_moment_that_cannot_be_is_refused(environment, tmp_path: Path, seconds: float) -> None:
    driver, vehicle = ExpertReplay(), int(environment.choice[0])
    with pytest.raises(DepoError, match="is not a number of at least 0"):
        render(environment, driver, vehicle, tmp_path / "a.png", name="a", seconds=seconds)
    assert not (tmp_path / "a.png").exists()


def test_wasserstein_agrees_with_scipy() -> None:
    generator = np.random.default_rng(0)
    one, other = generator.normal(size=70), generator.exponential(size=101)
    assert wasserstein(one, other) == pytest.approx(wasserstein_distance(one, other))
    assert np.isnan(wasserstein(one, np.zeros(0)))


@pytest.fixture(scope="module")
def environment() -> DrivingEnvironment:
    recording = flowing()
    return DrivingEnvironment(scene_of(recording), VEHICLES["normal"], split_of(recording).test)


@pytest.fixture(scope="module")
def expert(environment: DrivingEnvironment) -> Drives:
    return play(environment, ExpertReplay())


def test_the_expert_arrives_and_is_like_itself(
    environment: DrivingEnvironment, expert: Drives
) -> None:
    found = scores(environment, expert, expert)
    begin, end = environment.scene.road.zone
    assert found["success"] == 1.0
    assert found["distance"] == pytest.approx(end - begin, abs=2.0)
    assert found["position_divergence"] == found["speed_distance"] == found["gap_distance"] == 0.0
    assert found["velocity_reach_error_relative"] < 0.01
    places = np.asarray(environment.choice)
    lengths = expert.playing.sum(axis=0)
    starts = np.asarray(environment.scene.start_frame)
    for i, vehicle in enumerate(places):  # where it was recorded, to the end
        last = environment.scene.recorded(vehicle, starts[vehicle] + lengths[i])
        np.testing.assert_allclose(expert.reached[lengths[i] - 1, i, 0], last.x, atol=0.02)
        np.testing.assert_allclose(expert.reached[lengths[i] - 1, i, 1], last.y, atol=0.02)


def test_driving_on_at_constant_velocity_crashes_in_traffic_that_slows_down(
    environment: DrivingEnvironment, expert: Drives
) -> None:
    drives = play(environment, ConstantVelocity())
    found = scores(environment, drives, expert)
    assert found["success"] < 0.5 < found["collisions"] + found["off_road"] + found["success"]
    rates = [found[name] for name in ("success", "collisions", "off_road", "out_of_time")]
    assert sum(rates) == pytest.approx(1.0)
    assert found["distance"] < scores(environment, expert, expert)["distance"]
    assert found["speed_distance"] > 0.5
    assert found["position_divergence"] > 0.01
    # an episode's speed never changes while it lasts
    for i in range(drives.playing.shape[1]):
        assert np.ptp(drives.state[drives.playing[:, i], i, 2]) < 1e-3


def test_scores_are_averaged_over_types() -> None:
    by_type = {"normal": {"success": 1.0, "only": 2.0}, "truck": {"success": 0.0}}
    assert mean_scores(by_type)["success"] == 0.5


def test_in_the_shipped_recording_experts_arrive_and_constant_velocity_does_not() -> None:
    environment = open_environment(DrivingSettings(part="test"))
    assert len(environment.choice) == 150
    expert = play(environment, ExpertReplay())
    assert expert.outcome.arrived.mean() >= 0.99
    assert play(environment, ConstantVelocity()).outcome.arrived.mean() <= 0.5

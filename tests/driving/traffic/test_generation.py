from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from depo.core.errors import DepoError
from depo.driving.traffic import Recording
from depo.driving.traffic.generation import make_traffic
from depo.driving.traffic.outcomes import as_recorded, constant_velocity, outcome_shares
from depo.driving.traffic.overlaps import overlaps
from depo.driving.traffic.preparation import crosses_zone, split_of
from depo.driving.traffic.reading import read_recordings
from depo.driving.traffic.scenes import load_scene, shipped_recordings
from depo.driving.traffic.simulation import SimulationSettings
from tests.support.traffic import same


@pytest.fixture(scope="module")
def scene() -> Recording:
    return load_scene()


def test_the_shipped_recording_is_what_its_card_says() -> None:
    recording = Recording.load(shipped_recordings()["stop-and-go"])
    assert recording.seconds >= 600
    assert recording.vehicles >= 1_000
    assert len(np.unique(recording.length.round(1))) > 10
    assert recording.metadata["layout"] == "ngsim-text"
    card = (shipped_recordings()["stop-and-go"].parent / "README.md").read_text()
    assert f"{recording.vehicles:,} vehicles" in card
    assert f"{recording.rows:,} rows" in card
    assert all(path.stat().st_size < 2_000_000 for path in shipped_recordings().values())


def test_nobody_crashes_and_everybody_can_be_replayed(scene: Recording) -> None:
    assert len(overlaps(scene).behind) == 0
    crossing = np.flatnonzero(crosses_zone(scene))[::5]
    assert outcome_shares(scene, crossing, as_recorded)["arrived"] >= 0.99
    assert outcome_shares(scene, split_of(scene).test, as_recorded)["arrived"] >= 0.99


def test_the_traffic_is_not_too_easy(scene: Recording) -> None:
    shares = outcome_shares(scene, split_of(scene).test, constant_velocity)
    assert shares.get("arrived", 0.0) <= 0.5


def test_vehicles_stop_and_go_and_change_lanes(scene: Recording) -> None:
    moves = np.diff(scene.x)[np.diff(scene.vehicle) == 0] / scene.time_step
    assert np.percentile(moves, 5) < 2.0
    assert np.percentile(moves, 90) > 6.0
    lanes = [np.count_nonzero(np.diff(scene.road.lane_of(t.y))) for t in scene]
    assert np.mean(np.array(lanes) > 0) > 0.1
    sideways = np.abs(np.diff(scene.y)[np.diff(scene.vehicle) == 0]) / scene.time_step
    assert sideways.max() < 3.0


def test_a_short_simulation_is_written_as_text_and_read_back(tmp_path: Path) -> None:
    settings = SimulationSettings(minutes=0.2, warm_up=0.4)
    recording, report = make_traffic(settings, tmp_path / "made.txt", "made")
    assert recording.vehicles > 10
    assert report.broken == 0
    assert recording.metadata["simulation"]["minutes"] == 0.2
    [(again, _)] = read_recordings(tmp_path / "made.txt", "ngsim-text")
    same(recording, again, 0.0)


def test_without_sumo_the_remedy_is_named(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "sumo", None)
    with pytest.raises(DepoError, match=r"pip install 'depo\[traffic\]'"):
        make_traffic(SimulationSettings(minutes=0.1))


@pytest.mark.parametrize("change", [{"minutes": 0}, {"fast": 1.0}, {"warm_up": -1}])
def test_impossible_simulations_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(DepoError):
        SimulationSettings(**change)  # type: ignore[arg-type]

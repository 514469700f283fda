from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from depo.driving.traffic import Recording
from depo.driving.traffic.outcomes import Scene, as_recorded, constant_velocity, outcome_shares
from depo.driving.traffic.overlaps import TOLERANCE, TOUCH, crashed_vehicles, overlaps
from tests.support.traffic import recording_of, recordings


@given(recordings(), st.sampled_from([TOUCH, TOLERANCE]))
def test_overlaps_are_those_of_every_pair(recording: Recording, tolerance: float) -> None:
    found = overlaps(recording, tolerance)
    pairs = {frozenset(p) for p in zip(found.behind.tolist(), found.ahead.tolist(), strict=True)}
    v, by_hand = recording.vehicle, set()
    for i in range(recording.rows):
        for j in range(i):
            a, b = v[i], v[j]
            rear = max(recording.x[i], recording.x[j])
            front = min(recording.x[i] + recording.length[a], recording.x[j] + recording.length[b])
            across = (recording.width[a] + recording.width[b]) / 2
            across -= abs(recording.y[i] - recording.y[j])
            if recording.frame[i] == recording.frame[j] and min(front - rear, across) > tolerance:
                by_hand.add(frozenset((i, j)))
    assert pairs == by_hand


FRAMES = 300
MOVING = 30.0 + 1.0 * np.arange(FRAMES)


def test_a_rear_end_collision_is_found() -> None:
    stopped = recording_of([(0, MOVING, 2.0), (0, np.full(FRAMES, 150.0), 2.0)])
    assert Scene(stopped).outcome(0, as_recorded) == "collision"
    assert crashed_vehicles(stopped).tolist() == [0, 1]


def test_the_neighbouring_lane_is_no_collision() -> None:
    beside = recording_of([(0, MOVING, 2.0), (0, np.full(FRAMES, 150.0), 5.5)])
    assert outcome_shares(beside, [0], as_recorded) == {"arrived": 1.0}


def test_touching_by_less_than_a_metre_is_tolerated() -> None:
    close = recording_of([(0, MOVING, 2.0), (0, MOVING + 3.6, 2.0), (0, MOVING + 50, 2.0)])
    assert len(overlaps(close).behind) == FRAMES
    assert Scene(close).outcome(0, as_recorded) == "arrived"


def test_other_outcomes() -> None:
    away = recording_of([(0, MOVING, 2.0 - 0.05 * np.arange(FRAMES))])
    assert Scene(away).outcome(0, as_recorded) == "off-road"
    short = recording_of([(0, MOVING[:50], 2.0)])
    assert Scene(short).outcome(0, as_recorded) == "too-late"


def test_constant_velocity_keeps_the_entry_speed() -> None:
    braking = np.concatenate([np.arange(0, 60, 1.0), 60 + 0.3 * np.arange(1, 800)])
    ahead = np.concatenate([30 + np.arange(0, 40, 1.0), 70 + 0.3 * np.arange(1, 820)])
    recording = recording_of([(0, braking, 2.0), (0, ahead, 2.0)])
    assert Scene(recording).outcome(0, as_recorded) == "arrived"
    assert Scene(recording).outcome(0, constant_velocity) == "collision"


def test_a_vehicle_first_seen_in_the_zone_keeps_its_first_speed() -> None:
    recording = recording_of([(0, 40 + np.arange(300, dtype=float), 2.0)])
    x, _ = constant_velocity(recording, 0, 0)
    np.testing.assert_allclose(x[:5], 40 + np.arange(5))
    assert Scene(recording).outcome(0, constant_velocity) == "arrived"

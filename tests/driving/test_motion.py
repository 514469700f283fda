"""Recorded tracks as motions that a vehicle can drive."""

from __future__ import annotations

import numpy as np
import pytest

import depo  # noqa: F401  (registers the environment)
from depo.driving.motion import motion_of
from depo.driving.vehicles import VEHICLES
from tests.support.traffic import recording_of, steady

DT = 0.1


def test_a_steady_track_is_driven_exactly() -> None:
    recording = recording_of([steady(3, 0.0, 2, 12.0, 60), steady(9, 5.0, 3, 1.0, 2)])
    motion = motion_of(recording)
    assert motion.durations.tolist() == [60, 0]  # the second was seen too shortly
    np.testing.assert_allclose(motion.pose.x, recording.x[:60], atol=1e-3)
    np.testing.assert_allclose(motion.pose.speed, 12.0, atol=1e-3)
    assert motion.frame()[[0, -1]].tolist() == [3, 62]


def test_noisy_tracks_are_followed_within_the_limits() -> None:
    generator = np.random.default_rng(0)
    frame, x, y = steady(0, 0.0, 2, 6.0, 300)
    x = np.maximum.accumulate(x + generator.normal(0, 0.3, 300))
    y = np.where(np.arange(300) > 150, y + 3.7, y)  # a lane change in no time
    motion = motion_of(recording_of([(frame, x, y)]))
    speed, heading = motion.pose.speed, np.arctan2(motion.pose.dy, motion.pose.dx)
    assert np.abs(np.diff(speed)).max() <= 0.6167 + 1e-4
    bound = np.arctan(VEHICLES["normal"].most_curvature(4.5) * speed[:-1] * DT)
    assert (np.abs(np.diff(heading)) <= bound + 1e-5).all()
    assert np.abs(motion.pose.x - x)[50:].max() < 2.5
    assert motion.pose.y[-1] == pytest.approx(y[-1], abs=0.3)

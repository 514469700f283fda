"""How a vehicle moves in one step."""

from __future__ import annotations

import depo  # noqa: F401  (registers the environment)
from depo.driving.kinematics import move
from tests.support.driving import poses

DT = 0.1


def test_a_vehicle_never_drives_backwards() -> None:
    pose = poses([0.3], [0.0])
    for _ in range(3):
        pose = move(pose, -6.0, 0.0, DT)
    assert float(pose.speed[0]) == 0.0


def test_a_positive_curvature_turns_left_which_is_towards_lane_0() -> None:
    assert move(poses([10.0], [0.0]), 0.0, 0.05, DT).dy[0] < 0

"""Demonstrations are the drives that were recorded."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

import depo  # noqa: F401  (registers the environment)
from depo.driving.environment import DrivingEnvironment
from depo.driving.expert import expert_demonstrations
from depo.driving.kinematics import Pose, move
from depo.driving.skill import driving_skill
from depo.driving.surroundings import FEATURES
from depo.driving.traffic.preparation import split_of
from depo.driving.traffic.recording import Recording
from depo.driving.vehicles import VEHICLES

DT = 0.1


def test_demonstrations_are_the_recorded_drives(
    recording: Recording, environment: DrivingEnvironment
) -> None:
    vehicles = split_of(recording).train[:5]
    demos = expert_demonstrations(environment, vehicles)
    assert demos.episodes == 5
    assert demos.dimension == 28
    assert demos.feature_names == FEATURES
    begin, end = environment.scene.road.zone
    for vehicle, episode in zip(vehicles, demos, strict=True):
        np.testing.assert_allclose(episode[0], environment.start_state[vehicle], atol=1e-4)
        assert begin < episode[0, 0] < begin + 2.0
        assert episode[-2, 0] <= end < episode[-1, 0]
    # the skill finds for every recorded step an action that makes it
    skill = driving_skill()
    state, reached = (jnp.asarray(part) for part in demos.transitions())
    a, b = VEHICLES["normal"].decode(skill.mode(state, skill.select(reached)))
    speed = jnp.hypot(state[:, 2], state[:, 3])
    pose = Pose(state[:, 0], state[:, 1], speed, state[:, 2] / speed, state[:, 3] / speed)
    after = move(pose, a, b, DT)
    np.testing.assert_allclose(after.x, reached[:, 0], atol=2e-3)
    np.testing.assert_allclose(jnp.stack(after.velocity(), 1), reached[:, 2:4], atol=2e-3)

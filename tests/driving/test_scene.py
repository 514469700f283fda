"""All the traffic of a recording, frame by frame."""

from __future__ import annotations

from itertools import pairwise

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

import depo  # noqa: F401  (registers the environment)
from depo.core.errors import DepoError
from depo.driving.environment import DrivingEnvironment
from depo.driving.gymnasium_environments import drive
from depo.driving.motion import motion_of
from depo.driving.scene import scene_of
from depo.driving.traffic.preparation import join
from depo.driving.traffic.recording import Recording
from depo.driving.vehicles import VEHICLES
from tests.support.traffic import recording_of, steady


def test_a_scene_of_several_recordings_has_an_end_for_each() -> None:
    short = recording_of([steady(0, 5.0, 1, 12.0, 350), steady(40, 5.0, 2, 12.0, 350)])
    long = recording_of([steady(0, 5.0, 1, 12.0, 500)])
    scene = scene_of(join([short, long]))
    ends = np.asarray(scene.end_frame)
    assert ends[0] == ends[1] < ends[2] == scene.frames - 1
    alone = scene_of(short)
    np.testing.assert_array_equal(alone.end_frame, [alone.frames - 1] * 2)
    assert ends[0] == alone.frames - 1
    environment = DrivingEnvironment(scene, VEHICLES["normal"])
    ego = environment.begin(jnp.array([0, 2]), jnp.zeros((2, 2), jnp.uint32))
    waiting = eqx.tree_at(lambda e: e.frame, ego, jnp.full(2, ends[0] - 1, jnp.int32))
    outcome = drive(environment, waiting, jnp.zeros((2, 2)))[2]
    assert outcome.out_of_time.tolist() == [True, False]


def test_a_recording_nobody_can_be_driven_in_is_refused() -> None:
    with pytest.raises(DepoError, match="no vehicle seen in 3 frames"):
        motion_of(recording_of([steady(0, 0.0, 1, 5.0, 2)]))
    with pytest.raises(DepoError, match="leaving it at its end"):
        scene_of(recording_of([steady(0, 0.0, 1, 5.0, 60)]))


def test_the_scene_holds_every_vehicle_in_its_frame(
    recording: Recording, environment: DrivingEnvironment
) -> None:
    scene = environment.scene
    motion = motion_of(recording)
    assert int((scene.who >= 0).sum()) == motion.begin[-1]
    for frame in (0, 100, 500):
        who = np.asarray(scene.who[frame])
        present = np.flatnonzero(
            (motion.first_frame - scene.first_frame <= frame)
            & (frame < motion.first_frame - scene.first_frame + motion.durations)
        )
        assert sorted(who[who >= 0]) == present.tolist()
        begins = np.asarray(scene.lane_begin[frame])
        assert begins[-1] == len(present)
        fronts = np.asarray(scene.others[frame, 0])
        for begin, end in pairwise(begins):
            assert (np.diff(fronts[begin:end]) >= 0).all()

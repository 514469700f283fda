"""What the ego sees of the traffic around it."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import depo  # noqa: F401  (registers the environment)
from depo.driving.environment import DrivingEnvironment, Ego
from depo.driving.gymnasium_environments import drive
from depo.driving.scene import scene_of
from depo.driving.surroundings import FEATURES, NEIGHBOURS, RANGE
from depo.driving.traffic.recording import Recording
from depo.driving.traffic.road import Road
from depo.driving.vehicles import VEHICLES
from tests.support.traffic import recording_of, steady

DT = 0.1
ROAD = Road.i80()
AROUND = {  # lane, x of the rear
    "left behind": (1, 80.0),
    "left ahead": (1, 110.0),
    "behind": (2, 70.0),
    "ahead": (2, 130.0),
    "right behind": (3, 99.9),
    "right ahead": (3, 101.0),
}
FURTHER = [(2, 140.0), (2, 60.0), (3, 150.0), (4, 100.0), (1, 120.0)]
NOW, APART = 50, 1000
JOINS = ROAD.ramp.joins
CASES = {
    "all around": [(2, 100.0), *AROUND.values(), *FURTHER],
    "few around": [(0, 100.0), (0, 150.0), (1, 90.0)],
    "before the ramp joins": [(5, JOINS - 20.0), (6, JOINS - 11.0)],
    "where the ramp joins": [(5, JOINS + 5.0), (6, JOINS + 14.0)],
    "on the ramp before": [(6, JOINS - 20.0), (5, JOINS - 11.0)],
    "on the ramp where it joins": [(6, JOINS + 5.0), (5, JOINS + 14.0)],
}


@pytest.fixture(scope="module")
def seen() -> dict[str, np.ndarray]:
    return look_around()


def look_around(gaps: bool = False, **sizes: float) -> dict[str, np.ndarray]:
    """What the first vehicle of each case sees, (7, 4), all driving at 10 m/s.

    ``sizes``: how long the first of a case is, and how long the others are.
    """
    tracks, firsts = [], []
    for number, vehicles in enumerate(CASES.values()):
        firsts.append(len(tracks))
        tracks += [
            steady(number * APART, x - 10 * DT * NOW, lane, 10.0, 400) for lane, x in vehicles
        ]
    length = np.full(len(tracks), sizes.get("others", 4.5))
    length[firsts] = sizes.get("first", 4.5)
    scene = scene_of(recording_of(tracks, length=length))
    environment = DrivingEnvironment(scene, VEHICLES["normal"], gaps=gaps)
    vehicle, frame = jnp.array(firsts), jnp.arange(len(CASES)) * APART + NOW
    pose = environment.scene.recorded(vehicle, frame)
    nothing = jnp.zeros(len(CASES), jnp.int32)
    ego = Ego(vehicle, frame, pose, nothing, jnp.zeros((len(CASES), 2), jnp.uint32))
    state = eqx.filter_jit(DrivingEnvironment.observe)(environment, ego)
    return dict(zip(CASES, np.asarray(state).reshape(-1, 7, 4), strict=True))


def test_neighbours_and_their_order(seen: dict[str, np.ndarray]) -> None:
    state = seen["all around"]
    for i, name in enumerate(NEIGHBOURS):
        lane, x = AROUND[name]
        assert state[i + 1, 0] == pytest.approx(x, abs=0.01), name
        assert state[i + 1, 1] == pytest.approx(ROAD.lane_centre(lane), abs=0.01), name
        np.testing.assert_allclose(state[i + 1, 2:], [10.0, 0.0], atol=0.01)
    assert len(FEATURES) == 28
    assert FEATURES[:5] == ("ego x", "ego y", "ego vx", "ego vy", "left behind x")


def test_who_is_missing_is_a_copy_of_the_ego(seen: dict[str, np.ndarray]) -> None:
    state = seen["few around"]
    there = {"ahead": 150.0, "right behind": 90.0}
    for i, name in enumerate(NEIGHBOURS):
        if name in there:
            assert state[i + 1, 0] == pytest.approx(there[name], abs=0.01), name
        else:
            np.testing.assert_array_equal(state[i + 1], state[0])


def test_gaps_are_the_same_traffic_from_bumper_to_bumper(
    recording: Recording, environment: DrivingEnvironment
) -> None:
    vehicles = np.asarray(environment.choice)
    other = DrivingEnvironment(environment.scene, environment.body, vehicles, gaps=True)
    assert other.features[:6] == (*FEATURES[:4], "left behind gap", "left behind aside")
    actions = jax.random.uniform(jax.random.key(0), (20, 8, 2), minval=-0.2, maxval=0.2)
    ego = environment.begin(jnp.asarray(vehicles[:8]), jnp.zeros((8, 2), jnp.uint32))
    length, twin = np.asarray(environment.size(ego.vehicle)[0]), ego
    np.testing.assert_array_equal(other.start_state[:, :4], environment.start_state[:, :4])
    ahead = 4 * (1 + NEIGHBOURS.index("ahead"))
    seen_ahead = 0
    for action in actions:
        ego, state, outcome = drive(environment, ego, action)
        twin, seen, same = drive(other, twin, action)
        assert all(np.array_equal(a, b) for a, b in zip(outcome, same, strict=True))
        state, seen = np.asarray(state), np.asarray(seen)
        np.testing.assert_array_equal(seen[:, :4], state[:, :4])
        there = (state[:, ahead : ahead + 4] != state[:, :4]).any(axis=1)
        gap = state[there, ahead] - state[there, 0] - length[there]
        np.testing.assert_allclose(seen[there, ahead], np.minimum(gap, RANGE), atol=0.05)
        offset = state[there, ahead + 1 : ahead + 4] - state[there, 1:4]
        np.testing.assert_allclose(seen[there, ahead + 1 : ahead + 4], offset, atol=1e-3)
        nobody = np.broadcast_to([RANGE, 0.0, 0.0, 0.0], ((~there).sum(), 4))
        np.testing.assert_array_equal(seen[~there, ahead : ahead + 4], nobody)
        seen_ahead += there.sum()
    assert seen_ahead


def test_gaps_are_what_lies_between_bumpers_however_long_vehicles_are() -> None:
    cases = look_around(gaps=True, first=3.0, others=6.0)
    for i, name in enumerate(NEIGHBOURS):
        if name.startswith("right"):  # abreast: whose front is ahead depends on lengths
            continue
        x = AROUND[name][1] - 100.0
        gap = x - 3.0 if "ahead" in name else x + 6.0  # from rear to rear, less who is in front
        np.testing.assert_allclose(cases["all around"][i + 1, 0], gap, atol=0.02, err_msg=name)
    few = cases["few around"][1:, 0]
    np.testing.assert_allclose(few[NEIGHBOURS.index("ahead")], RANGE)  # 45 m away
    np.testing.assert_allclose(few[NEIGHBOURS.index("behind")], -RANGE)  # nobody


def test_the_ramp_is_seen_from_where_it_joins(seen: dict[str, np.ndarray]) -> None:
    for where, side, joined in (
        ("before the ramp joins", "right ahead", False),
        ("where the ramp joins", "right ahead", True),
        ("on the ramp before", "left ahead", False),
        ("on the ramp where it joins", "left ahead", True),
    ):
        state = seen[where]
        other = state[1 + NEIGHBOURS.index(side), 0]
        assert other == pytest.approx(state[0, 0] + (9.0 if joined else 0.0), abs=0.01), where

from __future__ import annotations

import warnings
from itertools import pairwise

import equinox as eqx
import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import shapely
from gymnasium.utils.env_checker import check_env
from hypothesis import assume, given
from hypothesis import strategies as st

import depo  # noqa: F401  (registers the environment)
from depo.environments.driving.environment import DrivingEnvironment, Ego, Outcome
from depo.environments.driving.expert import expert_demonstrations
from depo.environments.driving.faces import drive, reset, step
from depo.environments.driving.kinematics import Pose, move
from depo.environments.driving.motion import motion_of
from depo.environments.driving.rectangles import Rectangle, overlap
from depo.environments.driving.scene import scene_of
from depo.environments.driving.settings import ID, DrivingSettings
from depo.environments.driving.skill import driving_skill
from depo.environments.driving.surroundings import FEATURES, NEIGHBOURS, RANGE
from depo.environments.driving.vehicles import TYPES, vehicle_type
from depo.environments.host import HostEnvironment
from depo.errors import DepoError
from depo.traffic.preparation import join, split_of
from depo.traffic.recording import Recording
from depo.traffic.road import Road
from tests.environments.traffic import flowing, recording_of, steady

DT = 0.1
ROAD = Road.i80()


@pytest.fixture(scope="module")
def recording() -> Recording:
    return flowing()


@pytest.fixture(scope="module")
def environment(recording: Recording) -> DrivingEnvironment:
    return DrivingEnvironment(scene_of(recording), TYPES["normal"])


@pytest.fixture(scope="module")
def recording_file(recording: Recording, tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(recording.save(tmp_path_factory.mktemp("traffic") / "flowing.npz"))


# Rectangles


@st.composite
def rectangles(draw: st.DrawFn) -> Rectangle:
    angle = draw(st.floats(-np.pi, np.pi))
    return Rectangle(
        *(
            np.float64(value)
            for value in (
                draw(st.floats(-6, 6)),
                draw(st.floats(-6, 6)),
                np.cos(angle),
                np.sin(angle),
                draw(st.floats(0.5, 8)),
                draw(st.floats(0.3, 1.5)),
            )
        )
    )


@given(rectangles(), rectangles())
def test_overlap_agrees_with_shapely(one: Rectangle, other: Rectangle) -> None:
    def polygon(r: Rectangle) -> object:
        d = np.array([r.dx, r.dy]) * r.half_length
        n = np.array([-r.dy, r.dx]) * r.half_width
        centre = np.array([r.x, r.y])
        return shapely.Polygon([centre + d + n, centre + d - n, centre - d - n, centre - d + n])

    shared = polygon(one).intersection(polygon(other)).area
    apart = polygon(one).distance(polygon(other))
    assume(shared > 1e-6 or apart > 1e-4)  # float32 cannot tell a touch
    assert bool(overlap(one, other)) == (shared > 0)
    assert bool(overlap(one, other)) == bool(overlap(other, one))


def test_a_depth_forgives_shallow_overlaps() -> None:
    car = Rectangle(*(jnp.array(v) for v in (0.0, 0.0, 1.0, 0.0, 2.0, 1.0)))
    beside, behind = car._replace(y=jnp.array(1.5)), car._replace(x=jnp.array(-3.5))
    for other in (beside, behind):
        assert overlap(car, other)
        assert overlap(car, other, 0.4)
        assert not overlap(car, other, 0.6)


# Kinematics and skill


@pytest.mark.parametrize("kind", sorted(TYPES))
@pytest.mark.parametrize("plans", ["velocity", "position-and-velocity"])
def test_the_skill_names_the_action_that_was_taken(kind: str, plans: str) -> None:
    generator, vehicle = np.random.default_rng(0), TYPES[kind]
    speed = np.append(generator.uniform(1.0, 40.0, 2000), [0.0, 1e-4, 0.01])
    pose = _poses(speed, generator.uniform(-0.4, 0.4, len(speed)))
    asked = jnp.asarray(generator.uniform(-1, 1, (len(speed), 2)), jnp.float32)
    after = move(pose, *vehicle.decode(asked), DT)
    skill, state = driving_skill(kind, plans), _alone(pose)
    named = skill.mode(state, skill.select(_alone(after)))
    np.testing.assert_allclose(named[:2000], asked[:2000], atol=5e-3)
    again = move(pose, *vehicle.decode(named), DT)
    np.testing.assert_allclose(again.speed[:2000], after.speed[:2000], atol=1e-4)
    np.testing.assert_allclose(again.dy[:2000], after.dy[:2000], atol=1e-5)
    # from a standstill its heading is not known, but hardly matters
    np.testing.assert_allclose(again.speed[2000:], after.speed[2000:], rtol=0.1, atol=1e-3)


@pytest.mark.parametrize("kind", sorted(TYPES))
def test_any_plan_gives_a_bounded_action_with_a_finite_gradient(kind: str) -> None:
    generator, skill = np.random.default_rng(0), driving_skill(kind)
    speed = np.append(generator.uniform(0.0, 30.0, 500), [0.0, 0.0])
    state = _alone(_poses(speed, generator.uniform(-0.4, 0.4, 502)))
    target = jnp.asarray(generator.uniform(-60, 60, (502, 2)), jnp.float32).at[-1].set(0.0)
    assert (jnp.abs(skill.mode(state, target)) <= 1).all()
    slope = jax.vmap(jax.jacobian(skill.mode, argnums=1))(state, target)
    assert np.isfinite(slope).all()
    assert (slope != 0).any()


def test_a_plan_out_of_reach_is_approached() -> None:
    state = _alone(_poses([10.0, 10.0], [0.0, 0.0]))
    faster, backwards = driving_skill().mode(state, jnp.array([[30.0, 0.0], [-5.0, 0.1]]))
    assert faster.tolist() == [1.0, 0.0]
    assert backwards.tolist() == [-1.0, 0.0]


def test_units_and_limits_are_those_of_the_facts() -> None:
    normal = TYPES["normal"]
    assert normal.acceleration == pytest.approx(6.17, abs=0.01)
    assert 1 / normal.curvature == pytest.approx(100 / 6.4865, rel=1e-3)
    assert normal.most_curvature(3.0) == pytest.approx(normal.curvature)
    assert normal.most_curvature(2 * 25 / 6.4865) == pytest.approx(normal.curvature / 4, rel=1e-3)
    assert ROAD.zone[1] - ROAD.zone[0] == pytest.approx(215, abs=0.5)


def test_a_vehicle_never_drives_backwards() -> None:
    pose = _poses([0.3], [0.0])
    for _ in range(3):
        pose = move(pose, -6.0, 0.0, DT)
    assert float(pose.speed[0]) == 0.0


def test_a_positive_curvature_turns_left_which_is_towards_lane_0() -> None:
    assert move(_poses([10.0], [0.0]), 0.0, 0.05, DT).dy[0] < 0


def test_inverse_and_transpose_drive_like_normal(environment: DrivingEnvironment) -> None:
    def play(kind: str) -> np.ndarray:
        own = DrivingEnvironment(environment.scene, vehicle_type(kind))
        skill = driving_skill(kind)

        def step(carry, t):
            ego, state = carry
            wish = state[:, 2:4] + jnp.stack([0.3 * jnp.sin(t / 9), 0.05 * jnp.cos(t / 7)])
            done = own.step(ego, skill.mode(state, wish))
            return (done.ego, done.state), done.reached

        play = eqx.filter_jit(lambda carry, own: jax.lax.scan(step, carry, jnp.arange(120.0))[1])
        return np.asarray(play(own.reset(_keys(32)), own))

    normal = play("normal")
    assert len(np.unique(normal[:, 0, 0])) > 100
    for kind in ("inverse", "transpose"):
        np.testing.assert_allclose(play(kind), normal, atol=1e-3)


def test_a_truck_is_longer_slower_and_turns_less(environment: DrivingEnvironment) -> None:
    truck = DrivingEnvironment(environment.scene, TYPES["truck"])
    assert len(truck.choice) <= len(environment.choice)
    vehicle = truck.choice[:4]
    assert (truck.size(vehicle)[0] > environment.size(vehicle)[0]).all()
    ego = environment.begin(vehicle, jnp.zeros((4, 2), jnp.uint32))
    before, car, lorry = (
        p.speed
        for p in (
            ego.pose,
            *(drive(e, ego, jnp.ones((4, 2)))[0].pose for e in (environment, truck)),
        )
    )
    assert (before < lorry).all()
    assert (lorry < car).all()
    turned = [
        jnp.abs(drive(e, ego, jnp.ones((4, 2)))[0].pose.dy - ego.pose.dy)
        for e in (truck, environment)
    ]
    assert (turned[0] < turned[1]).all()


# Motion and scene


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
    bound = np.arctan(TYPES["normal"].most_curvature(4.5) * speed[:-1] * DT)
    assert (np.abs(np.diff(heading)) <= bound + 1e-5).all()
    assert np.abs(motion.pose.x - x)[50:].max() < 2.5
    assert motion.pose.y[-1] == pytest.approx(y[-1], abs=0.3)


def test_a_scene_of_several_recordings_has_an_end_for_each() -> None:
    short = recording_of([steady(0, 5.0, 1, 12.0, 350), steady(40, 5.0, 2, 12.0, 350)])
    long = recording_of([steady(0, 5.0, 1, 12.0, 500)])
    scene = scene_of(join([short, long]))
    ends = np.asarray(scene.end_frame)
    assert ends[0] == ends[1] < ends[2] == scene.frames - 1
    alone = scene_of(short)
    np.testing.assert_array_equal(alone.end_frame, [alone.frames - 1] * 2)
    assert ends[0] == alone.frames - 1
    environment = DrivingEnvironment(scene, TYPES["normal"])
    ego = environment.begin(jnp.array([0, 2]), jnp.zeros((2, 2), jnp.uint32))
    waiting = eqx.tree_at(lambda e: e.frame, ego, jnp.full(2, ends[0] - 1, jnp.int32))
    outcome = environment.drive(waiting, jnp.zeros((2, 2)))[2]
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


# Cases: situations far apart in time, made into one scene, so that it is compiled once

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
    environment = DrivingEnvironment(scene, TYPES["normal"], gaps=gaps)
    vehicle, frame = jnp.array(firsts), jnp.arange(len(CASES)) * APART + NOW
    pose = environment.scene.recorded(vehicle, frame)
    nothing = jnp.zeros(len(CASES), jnp.int32)
    ego = Ego(vehicle, frame, pose, nothing, jnp.zeros((len(CASES), 2), jnp.uint32))
    return dict(zip(CASES, np.asarray(environment.observe(ego)).reshape(-1, 7, 4), strict=True))


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
    other = DrivingEnvironment(environment.scene, environment.kind, vehicles, gaps=True)
    assert other.features[:6] == (*FEATURES[:4], "left behind gap", "left behind aside")
    actions = jax.random.uniform(jax.random.key(0), (20, 8, 2), minval=-0.2, maxval=0.2)
    ego = environment.begin(jnp.asarray(vehicles[:8]), jnp.zeros((8, 2), jnp.uint32))
    length, twin = np.asarray(environment.size(ego.vehicle)[0]), ego
    np.testing.assert_array_equal(other.start_state[:, :4], environment.start_state[:, :4])
    ahead = 4 * (1 + NEIGHBOURS.index("ahead"))
    seen_ahead = 0
    for action in actions:
        ego, state, outcome = environment.drive(ego, action)
        twin, seen, same = other.drive(twin, action)
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


# Episodes

END = ROAD.zone[1]
EPISODES = {  # what drives where, what the ego does, how it must end
    "runs into the one ahead": ([(0.0, 2, 20.0), (120.0, 2, 2.0)], (0.0, 0.0), "collided"),
    "leaves on the left": ([(2.0, 0, 15.0)], (0.0, 1.0), "off_road"),
    "leaves on the right": ([(2.0, 5, 15.0)], (0.0, -1.0), "off_road"),
    "arrives": ([(0.0, 2, 15.0)], (0.0, 0.0), "arrived"),
    "hits where its front has left the zone": (
        [(0.0, 2, 15.0), (END + 1.0, 2, 0.0)],
        (0.0, 0.0),
        "collided",
    ),
    "stands": ([(0.0, 2, 15.0)], (-1.0, 0.0), "out_of_time"),
    "stands until the recording ends": ([(0.0, 2, 15.0)], (-1.0, 0.0), "out_of_time"),
}
HORIZON = 700


@pytest.fixture(scope="module")
def played() -> tuple[DrivingEnvironment, dict[str, tuple[str, int, np.ndarray]]]:
    """How each episode ends, after how many steps, and in which state."""
    tracks, firsts = [], []
    for number, (vehicles, _, _) in enumerate(EPISODES.values()):
        firsts.append(len(tracks))
        tracks += [steady(number * APART, x, lane, speed, 400) for x, lane, speed in vehicles]
    scene = scene_of(recording_of(tracks))
    environment = DrivingEnvironment(scene, TYPES["normal"], firsts, horizon=HORIZON)
    actions = jnp.array([action for _, action, _ in EPISODES.values()])

    @eqx.filter_jit
    def play(environment: DrivingEnvironment) -> tuple:
        def step(ego, _):
            ego, state, outcome = environment.drive(ego, actions)
            return ego, (state, jnp.stack(outcome))

        begin = environment.begin(jnp.array(firsts), jnp.zeros((len(firsts), 2), jnp.uint32))
        return jax.lax.scan(step, begin, length=HORIZON)[1]

    states, flags = (np.asarray(x) for x in play(environment))
    ends = {}
    for i, name in enumerate(EPISODES):
        last = int(np.argmax(flags[:, :, i].any(axis=1)))
        assert flags[last, :, i].sum() == 1
        outcome = Outcome._fields[int(np.argmax(flags[last, :, i]))]
        ends[name] = (outcome, last + 1, states[last, i])
    return environment, ends


def test_every_episode_ends_as_it_must(played: tuple) -> None:
    environment, ends = played
    for name, (_, _, outcome) in EPISODES.items():
        assert ends[name][0] == outcome, name
    start = np.asarray(environment.scene.start_frame)
    outcome, steps, state = ends["runs into the one ahead"]
    touched = state[0] + 4.5 - (120.0 + 2.0 * DT * (start[0] + steps))
    assert 1.0 < touched < 1.0 + 1.8 + 1e-3  # a metre is forgiven, then one step
    for name in ("leaves on the left", "leaves on the right"):
        assert ROAD.off_road(*ends[name][2][:2])
    assert END < ends["arrives"][2][0] < END + 1.5 + 1e-3
    assert ends["arrives"][1] == pytest.approx((END - ROAD.zone[0]) / 1.5, abs=2)
    assert END - 4.5 < ends["hits where its front has left the zone"][2][0] < END
    assert ends["stands"][1] == HORIZON
    last = len(EPISODES) - 1
    frames = start[environment.choice[last]] + ends["stands until the recording ends"][1]
    assert frames == environment.scene.frames - 1


def test_vehicles_that_do_not_cross_the_zone_are_left_out(played: tuple) -> None:
    scene = played[0].scene
    with pytest.raises(DepoError, match="none of the 1 vehicles"):
        DrivingEnvironment(scene, TYPES["normal"], [1])


def test_no_step_crosses_a_reset(environment: DrivingEnvironment) -> None:
    ego, state = jax.tree.map(np.asarray, reset(environment, _keys(64)))
    starts = np.asarray(environment.start_state)
    endings = arrivals = 0
    for t in range(150):
        action = jnp.tile(jnp.array([1.0, 0.3 * np.sin(t / 10)]), (64, 1))
        after = step(environment, ego, action)
        done = jax.tree.map(np.asarray, after)
        way = done.reached[:, :2] - state[:, :2]
        np.testing.assert_allclose(way, DT * state[:, 2:4], atol=1e-3)
        ended = done.terminated | done.truncated
        np.testing.assert_array_equal(done.state[ended], starts[done.ego.vehicle[ended]])
        np.testing.assert_array_equal(done.state[~ended], done.reached[~ended])
        assert (done.ego.elapsed[ended] == 0).all()
        endings += ended.sum()
        assert done.truncated[done.outcome.arrived].all()  # the road goes on
        np.testing.assert_array_equal(done.reward, done.outcome.arrived)
        arrivals += done.outcome.arrived.sum()
        ego, state = after.ego, done.state
    assert endings > 30
    assert arrivals > 0


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
    a, b = TYPES["normal"].decode(skill.mode(state, skill.select(reached)))
    speed = jnp.hypot(state[:, 2], state[:, 3])
    pose = Pose(state[:, 0], state[:, 1], speed, state[:, 2] / speed, state[:, 3] / speed)
    after = move(pose, a, b, DT)
    np.testing.assert_allclose(after.x, reached[:, 0], atol=2e-3)
    np.testing.assert_allclose(jnp.stack(after.velocity(), 1), reached[:, 2:4], atol=2e-3)


# Gymnasium


def test_the_gymnasium_face_passes_the_checker(recording_file: str) -> None:
    env = gym.make(ID, recording=recording_file, part="test").unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*infinity.*")
        check_env(env, skip_render_check=True)


def test_the_face_can_be_told_whose_place_to_take(recording_file: str) -> None:
    env = gym.make(ID, recording=recording_file, part="all")
    vehicle = int(env.unwrapped.environment.choice[3])
    _, info = env.reset(seed=0, options={"vehicle": vehicle})
    assert info["vehicle"] == vehicle
    _, reward, ended, cut, info = env.step(np.zeros(2, np.float32))
    assert (reward, ended, cut) == (0.0, False, False)
    assert {info[flag] for flag in ("arrived", "collided", "off_road")} == {False}
    with pytest.raises(DepoError, match="vehicle 99999 is not in the recording"):
        env.reset(options={"vehicle": 99999})
    outside = int(np.flatnonzero(~np.asarray(env.unwrapped.environment.scene.drivable))[0])
    with pytest.raises(DepoError, match=f"vehicle {outside} is not seen entering the zone"):
        env.reset(options={"vehicle": outside})


def test_parts_are_disjoint_and_complete(recording_file: str) -> None:
    parts = {
        part: set(
            np.asarray(gym.make(ID, recording=recording_file, part=part).unwrapped._choice).tolist()
        )
        for part in ("train", "validation", "test", "all")
    }
    assert not parts["train"] & parts["validation"]
    assert not parts["train"] & parts["test"]
    assert not parts["validation"] & parts["test"]
    assert parts["train"] | parts["validation"] | parts["test"] == parts["all"]


def test_hundreds_of_copies_are_stepped_as_one_and_follow_their_seeds(recording_file: str) -> None:
    host = HostEnvironment(ID, {"recording": recording_file, "horizon": 40, "part": "all"})
    assert host.vector_sizes() == (28, 2)
    envs = host.vector(200)
    assert isinstance(envs._envs.unwrapped, gym.vector.VectorEnv)
    assert not isinstance(envs._envs, gym.vector.SyncVectorEnv)
    first = envs.reset(range(200))
    np.testing.assert_array_equal(first, envs.reset(range(200)))
    np.testing.assert_array_equal(first[::-1], envs.reset(range(200)[::-1]))
    assert (first != envs.reset(range(200, 400))).any()
    state = envs.reset(range(200))
    ends = cuts = 0
    for _ in range(60):
        after, reached, reward, terminated, truncated = envs.step(np.zeros((200, 2), np.float32))
        np.testing.assert_allclose(reached[:, 0] - state[:, 0], DT * state[:, 2], atol=1e-3)
        ends, cuts = ends + terminated.sum(), cuts + truncated.sum()
        assert set(reward) <= {0.0, 1.0}
        state = after
    envs.close()
    assert cuts > 0


def test_one_copy_drives_as_the_single_face_does(recording_file: str) -> None:
    settings = {"recording": recording_file, "part": "all", "horizon": 40}
    one = gym.make(ID, **settings).unwrapped
    many = gym.make_vec(ID, num_envs=200, **settings)
    states, _ = many.reset(seed=list(range(200)))
    vehicles = np.asarray(many.unwrapped._ego.vehicle)
    state, _ = one.reset(options={"vehicle": int(vehicles[1])})
    np.testing.assert_array_equal(state, states[1])
    for t in range(30):
        action = np.array([0.2 * np.sin(t), 0.01], np.float32)
        state = one.step(action)[0]
        states = many.step(np.tile(action, (200, 1)))[0]
        np.testing.assert_allclose(state, states[1], atol=1e-4)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"horizon": 0}, "horizon 0"),
        ({"horizon": 3_000}, "horizon 3000 is not between 1 and 1,500"),
        ({"horizon": 10.5}, "horizon 10.5 is not a whole number"),
        ({"overlap": -1.0}, "-1.0"),
        ({"neighbours": "gap"}, "unknown neighbours 'gap': did you mean 'gaps'"),
        ({"arrival": "ends"}, "did you mean 'end'"),
        ({"part": "tests"}, "did you mean 'test'"),
    ],
)
def test_impossible_settings_are_refused(settings: dict, message: str) -> None:
    chosen = DrivingSettings()
    for name, value in settings.items():
        object.__setattr__(chosen, name, value)  # the tests' type checker is away
    with pytest.raises(DepoError, match=message):
        chosen.__post_init__()
    with pytest.raises(DepoError, match="did you mean 'truck'"):
        vehicle_type("trucks")


def _poses(speed, angle) -> Pose:
    speed, angle = np.asarray(speed), np.asarray(angle)
    values = (np.full(len(speed), 50.0), np.full(len(speed), 10.0), speed, np.cos(angle))
    return Pose(*(jnp.asarray(v, jnp.float32) for v in (*values, np.sin(angle))))


def _alone(pose: Pose) -> jnp.ndarray:
    """The states of egos with nobody around."""
    return jnp.tile(jnp.stack([pose.x, pose.y, *pose.velocity()], axis=-1), 7)


def _keys(count: int) -> jnp.ndarray:
    return jax.random.key_data(jax.random.split(jax.random.key(0), count))

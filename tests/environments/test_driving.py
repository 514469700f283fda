from __future__ import annotations

import warnings

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import assume, given
from hypothesis import strategies as st

import depo  # noqa: F401  (registers the environment)
from depo.environments.driving.environment import DrivingEnvironment, Ego
from depo.environments.driving.expert import expert_demonstrations
from depo.environments.driving.kinematics import Pose, controls, move
from depo.environments.driving.motion import motion_of
from depo.environments.driving.rectangles import Rectangle, overlap
from depo.environments.driving.scene import make_scene
from depo.environments.driving.settings import ID, DrivingSettings
from depo.environments.driving.skill import driving_skill
from depo.environments.driving.surroundings import FEATURES, NEIGHBOURS
from depo.environments.driving.vehicles import TYPES, vehicle_type
from depo.environments.host import HostEnvironment
from depo.errors import DepoError
from depo.traffic.recording import Recording
from depo.traffic.road import Road
from tests.environments.traffic import flowing, recording_of, steady

DT = 0.1
ROAD = Road.i80()
numbers = st.floats(-1.0, 1.0, width=32)


@pytest.fixture(scope="module")
def recording() -> Recording:
    return flowing()


@pytest.fixture(scope="module")
def environment(recording: Recording) -> DrivingEnvironment:
    return DrivingEnvironment(make_scene(recording), TYPES["normal"])


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
    shapely = pytest.importorskip("shapely")

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


@given(
    speed=st.floats(0.0, 40.0),
    angle=st.floats(-0.4, 0.4),
    action=st.tuples(numbers, numbers),
    kind=st.sampled_from(sorted(TYPES)),
    plans=st.sampled_from(["velocity", "position-and-velocity"]),
)
def test_the_skill_names_the_action_that_was_taken(speed, angle, action, kind, plans) -> None:
    vehicle = TYPES[kind]
    pose = _pose(50.0, 10.0, speed, angle)
    asked = jnp.array(action, jnp.float32)
    after = move(pose, *vehicle.decode(asked), DT)
    state, reached = _alone(pose), _alone(after)
    skill = driving_skill(kind, plans)
    again = move(pose, *vehicle.decode(skill.mode(state, skill.select(reached))), DT)
    if speed < 1e-3:  # where it looks is not in the state
        assert float(again.speed) == pytest.approx(float(after.speed), rel=0.1, abs=1e-3)
        return
    np.testing.assert_allclose(again, after, atol=2e-4)
    if float(after.speed) > 0.1 and speed > 0.5:  # slower, float32 does not hold the turn
        named = skill.mode(state, skill.select(reached))
        np.testing.assert_allclose(named, asked, atol=2e-2)


@given(
    speed=st.floats(0.0, 30.0),
    target=st.tuples(st.floats(-60, 60), st.floats(-60, 60)),
    kind=st.sampled_from(sorted(TYPES)),
)
def test_any_plan_gives_a_bounded_action_with_a_finite_gradient(speed, target, kind) -> None:
    skill, state = driving_skill(kind), _alone(_pose(50.0, 10.0, speed, 0.1))
    target = jnp.array(target, jnp.float32)
    action = skill.mode(state, target)
    slope = jax.jacobian(lambda t: skill.mode(state, t))(target)
    assert (jnp.abs(action) <= 1).all()
    assert np.isfinite(slope).all()


def test_a_plan_out_of_reach_is_approached() -> None:
    state = _alone(_pose(0.0, 0.0, 10.0, 0.0))
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
    pose = _pose(0.0, 0.0, 0.3, 0.0)
    for _ in range(3):
        pose = move(pose, -6.0, 0.0, DT)
    assert float(pose.speed) == 0.0
    assert np.isfinite(controls(pose.velocity(), (1.0, 0.0), 0.06, DT)).all()


def test_a_positive_curvature_turns_left_which_is_towards_lane_0() -> None:
    assert move(_pose(0.0, 10.0, 10.0, 0.0), 0.0, 0.05, DT).dy < 0


def test_inverse_and_transpose_drive_like_normal(environment: DrivingEnvironment) -> None:
    def play(kind: str) -> list[np.ndarray]:
        own = DrivingEnvironment(environment.scene, vehicle_type(kind))
        skill = driving_skill(kind)
        ego, state = own.reset(_keys(32))
        step = jax.jit(lambda ego, action: own.step(ego, action)[:3])
        reached = []
        for t in range(120):
            wish = state[:, 2:4] + jnp.array([0.3 * np.sin(t / 9), 0.05 * np.cos(t / 7)])
            ego, state, seen = step(ego, skill.mode(state, wish))
            reached.append(np.asarray(seen))
        return reached

    normal = play("normal")
    assert len({float(state[0, 0]) for state in normal}) > 100
    for kind in ("inverse", "transpose"):
        np.testing.assert_allclose(play(kind), normal, atol=1e-3)


def test_a_truck_is_longer_slower_and_turns_less(environment: DrivingEnvironment) -> None:
    truck = DrivingEnvironment(environment.scene, TYPES["truck"])
    vehicle = truck.choice[:1]
    assert truck.size(vehicle)[0] > environment.size(vehicle)[0]
    hard = jnp.ones((1, 2))
    ego = environment.begin(vehicle, jnp.zeros((1, 2), jnp.uint32))
    car_pose, truck_pose = (e.drive(ego, hard)[0].pose for e in (environment, truck))
    assert ego.pose.speed < truck_pose.speed < car_pose.speed
    assert jnp.abs(truck_pose.dy) < jnp.abs(car_pose.dy)
    assert len(truck.choice) <= len(environment.choice)


# Motion and scene


def test_a_steady_track_is_driven_exactly_and_smoothing_shifts_it() -> None:
    recording = recording_of([steady(3, 0.0, 2, 12.0, 60)])
    plain = motion_of(recording, smoothing=1)
    np.testing.assert_allclose(plain.pose.x, recording.x[:-1], atol=1e-3)
    np.testing.assert_allclose(plain.pose.speed, 12.0, atol=1e-3)
    assert plain.frame()[[0, -1]].tolist() == [3, 61]
    smooth = motion_of(recording, smoothing=15)
    assert smooth.durations.tolist() == [60 - 14 - 1]
    np.testing.assert_allclose(smooth.pose.x[0], recording.x[:15].mean(), atol=1e-3)


def test_smoothing_keeps_vehicles_apart_from_each_other() -> None:
    tracks = [steady(0, 0.0, 1, 8.0, 40), steady(5, 100.0, 2, 20.0, 50), steady(9, 5.0, 3, 1.0, 9)]
    motion = motion_of(recording_of(tracks), smoothing=15)
    assert motion.durations.tolist() == [25, 35, 0]  # the third was seen too shortly
    for vehicle, (_, x, y) in enumerate(tracks[:2]):
        rows = slice(motion.begin[vehicle], motion.begin[vehicle + 1])
        np.testing.assert_allclose(motion.pose.x[rows], x[: len(x) - 15] + x[7] - x[0], atol=1e-2)
        np.testing.assert_allclose(motion.pose.y[rows], y[0], atol=1e-4)


def test_noisy_tracks_are_followed_within_the_limits() -> None:
    generator = np.random.default_rng(0)
    frame, x, y = steady(0, 0.0, 2, 6.0, 300)
    x = np.maximum.accumulate(x + generator.normal(0, 0.3, 300))
    y = np.where(np.arange(300) > 150, y + 3.7, y)  # a lane change in no time
    motion = motion_of(recording_of([(frame, x, y)]), smoothing=1)
    speed, heading = motion.pose.speed, np.arctan2(motion.pose.dy, motion.pose.dx)
    assert np.abs(np.diff(speed)).max() <= 0.6167 + 1e-4
    bound = np.arctan(TYPES["normal"].most_curvature(4.5) * speed[:-1] * DT)
    assert (np.abs(np.diff(heading)) <= bound + 1e-5).all()
    assert np.abs(motion.pose.x - x[:-1])[50:].max() < 2.5
    assert motion.pose.y[-1] == pytest.approx(y[-1], abs=0.3)


def test_a_recording_nobody_can_be_driven_in_is_refused() -> None:
    with pytest.raises(DepoError, match="no vehicle seen in 17 frames"):
        motion_of(recording_of([steady(0, 0.0, 1, 5.0, 10)]))
    with pytest.raises(DepoError, match="drives through the whole zone"):
        make_scene(recording_of([steady(0, 0.0, 1, 5.0, 60)]))


def test_neighbours_and_their_order() -> None:
    places = {  # lane, x of the rear
        "left behind": (1, 80.0),
        "left ahead": (1, 110.0),
        "behind": (2, 70.0),
        "ahead": (2, 130.0),
        "right behind": (3, 99.9),
        "right ahead": (3, 101.0),
    }
    further = [(2, 140.0), (2, 60.0), (3, 150.0), (4, 100.0), (1, 120.0)]
    vehicles = [(2, 100.0), *places.values(), *further]
    state = _seen_by_the_first(vehicles)
    for i, name in enumerate(NEIGHBOURS):
        lane, x = places[name]
        assert state[i + 1, 0] == pytest.approx(x, abs=0.01), name
        assert state[i + 1, 1] == pytest.approx(ROAD.lane_centre(lane), abs=0.01), name
        np.testing.assert_allclose(state[i + 1, 2:], [10.0, 0.0], atol=0.01)
    assert len(FEATURES) == 28
    assert FEATURES[:5] == ("ego x", "ego y", "ego vx", "ego vy", "left behind x")


def test_who_is_missing_is_a_copy_of_the_ego() -> None:
    state = _seen_by_the_first([(0, 100.0), (0, 150.0), (1, 90.0)])
    there = {"ahead": 150.0, "right behind": 90.0}
    for i, name in enumerate(NEIGHBOURS):
        expected = there.get(name, state[0, 0])
        assert state[i + 1, 0] == pytest.approx(expected, abs=0.01), name


def test_the_ramp_is_seen_from_where_it_joins() -> None:
    joins = ROAD.ramp.joins
    for x, joined in ((joins - 20.0, False), (joins + 5.0, True)):
        right_ahead = 1 + NEIGHBOURS.index("right ahead")
        left_ahead = 1 + NEIGHBOURS.index("left ahead")
        seen = _seen_by_the_first([(5, x), (6, x + 9.0)])[right_ahead, 0]
        assert seen == pytest.approx(x + 9.0 if joined else x, abs=0.01)
        seen = _seen_by_the_first([(6, x), (5, x + 9.0)])[left_ahead, 0]
        assert seen == pytest.approx(x + 9.0 if joined else x, abs=0.01)


def _seen_by_the_first(vehicles: list[tuple[float, float]]) -> np.ndarray:
    """The state of the first vehicle, (7, 4), when all are where they are said to be."""
    frames, now = 400, 50
    tracks = [steady(0, x - 10.0 * DT * now, lane, 10.0, frames) for lane, x in vehicles]
    scene = make_scene(recording_of(tracks), smoothing=1)
    environment = DrivingEnvironment(scene, TYPES["normal"])
    vehicle, frame = jnp.array([0]), jnp.array([now])
    pose = scene.recorded(vehicle, frame)
    ego = Ego(vehicle, frame, pose, jnp.array([0]), jnp.zeros((1, 2), jnp.uint32))
    return np.asarray(environment.observe(ego)).reshape(7, 4)


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
        lanes = np.diff(scene.lane_begin[frame])
        assert lanes.sum() == len(present)
        fronts = np.asarray(scene.others[frame, 0])
        for begin, end in zip(scene.lane_begin[frame], scene.lane_begin[frame][1:], strict=False):
            assert (np.diff(fronts[begin:end]) >= 0).all()


# Episodes


def test_an_ego_that_runs_into_the_one_ahead_collides() -> None:
    tracks = [steady(0, 0.0, 2, 20.0, 400), steady(0, 120.0, 2, 2.0, 900)]
    scene = make_scene(recording_of(tracks), smoothing=1)
    with pytest.raises(DepoError, match="none of the 1 vehicles"):
        DrivingEnvironment(scene, TYPES["normal"], [1])  # is in the zone's middle: never arrives
    outcome, steps, state = _play_alone(scene, jnp.zeros(2))
    assert outcome == "collided"
    assert state[0] + 4.5 == pytest.approx(120.0 + 2.0 * DT * (steps + _start(scene)), abs=2.0)


def test_leaving_the_road_on_either_side() -> None:
    for turn, lane in ((1.0, 0), (-1.0, 5)):
        scene = make_scene(recording_of([steady(0, 60.0 - 58.0, lane, 15.0, 300)]), smoothing=1)
        outcome, _, state = _play_alone(scene, jnp.array([0.0, turn]))
        assert outcome == "off_road"
        assert bool(ROAD.off_road(state[0], state[1]))


def test_arrival_is_the_rear_leaving_the_zone() -> None:
    scene = make_scene(recording_of([steady(0, 0.0, 2, 15.0, 300)]), smoothing=1)
    outcome, steps, state = _play_alone(scene, jnp.zeros(2))
    assert outcome == "arrived"
    assert ROAD.zone[1] < state[0] < ROAD.zone[1] + 1.5 + 1e-3
    assert steps == pytest.approx((ROAD.zone[1] - ROAD.zone[0]) / 1.5, abs=2)


def test_collisions_count_until_the_rear_has_left_the_zone() -> None:
    """The stretch between front and rear leaving the zone, which the original does not check."""
    end = ROAD.zone[1]
    tracks = [steady(0, 0.0, 2, 15.0, 300), steady(0, end + 1.0, 2, 0.0, 400)]
    scene = make_scene(recording_of(tracks), smoothing=1)
    outcome, _, state = _play_alone(scene, jnp.zeros(2))
    assert outcome == "collided"
    assert end - 4.5 < state[0] < end


def test_standing_still_runs_out_of_time_or_out_of_frames() -> None:
    track = steady(0, 0.0, 2, 15.0, 300)
    brake = jnp.array([-1.0, 0.0])
    scene = make_scene(recording_of([track, steady(0, 20.0, 4, 0.0, 1200)]), smoothing=1)
    outcome, steps, _ = _play_alone(scene, brake, horizon=90)
    assert (outcome, steps) == ("out_of_time", 90)
    outcome, steps, _ = _play_alone(scene, brake)
    assert outcome == "out_of_time"
    assert steps + _start(scene) == scene.frames - 1


def _start(scene: object) -> int:
    return int(scene.start_frame[0])  # type: ignore[attr-defined]


def _play_alone(scene, action, **settings) -> tuple[str, int, np.ndarray]:
    """How vehicle 0's episode ends under a constant action, after how many steps, and where."""
    environment = DrivingEnvironment(scene, TYPES["normal"], [0], **settings)
    ego, state = environment.reset(_keys(1))
    drive = jax.jit(environment.drive)
    for steps in range(1, 2000):
        ego, state, outcome = drive(ego, action[None])
        flags = {name: bool(flag[0]) for name, flag in outcome._asdict().items()}
        assert sum(flags.values()) <= 1
        if any(flags.values()):
            return next(name for name, flag in flags.items() if flag), steps, np.asarray(state[0])
    raise AssertionError("the episode never ends")


def test_no_step_crosses_a_reset(environment: DrivingEnvironment) -> None:
    ego, state = environment.reset(_keys(64))
    step = jax.jit(environment.step)
    starts = np.asarray(environment.start_state)
    endings = 0
    for t in range(150):
        action = jnp.tile(jnp.array([1.0, 0.3 * np.sin(t / 10)]), (64, 1))
        done = step(ego, action)
        vx, vy = np.asarray(state)[:, 2], np.asarray(state)[:, 3]
        np.testing.assert_allclose(done.reached[:, 0] - state[:, 0], vx * DT, atol=1e-3)
        np.testing.assert_allclose(done.reached[:, 1] - state[:, 1], vy * DT, atol=1e-3)
        ended = np.asarray(done.terminated | done.truncated)
        vehicle = np.asarray(done.ego.vehicle)
        np.testing.assert_array_equal(np.asarray(done.state)[ended], starts[vehicle[ended]])
        np.testing.assert_array_equal(
            np.asarray(done.state)[~ended], np.asarray(done.reached)[~ended]
        )
        assert (np.asarray(done.ego.elapsed)[ended] == 0).all()
        endings += ended.sum()
        ego, state = done.ego, done.state
    assert endings > 30


def test_arrival_cuts_or_ends(environment: DrivingEnvironment) -> None:
    scene = make_scene(recording_of([steady(0, 0.0, 2, 30.0, 300)]), smoothing=1)
    for ends in (False, True):
        own = DrivingEnvironment(scene, TYPES["normal"], arrival_ends=ends)
        ego, _ = own.reset(_keys(1))
        step = jax.jit(own.step)
        for _ in range(200):
            done = step(ego, jnp.zeros((1, 2)))
            ego = done.ego
            if done.outcome.arrived[0]:
                break
        assert (bool(done.terminated[0]), bool(done.truncated[0])) == (ends, not ends)
        assert float(done.reward[0]) == 1.0


def test_demonstrations_are_the_recorded_drives(environment: DrivingEnvironment) -> None:
    vehicles = environment.choice[:5]
    demos = expert_demonstrations(environment, vehicles)
    assert demos.episodes == 5
    assert demos.dimension == 28
    assert demos.feature_names == FEATURES
    begin, end = environment.scene.road.zone
    for vehicle, episode in zip(vehicles, demos, strict=True):
        np.testing.assert_array_equal(episode[0], environment.start_state[vehicle])
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
    np.testing.assert_allclose(after.velocity()[0], reached[:, 2], atol=2e-3)
    np.testing.assert_allclose(after.velocity()[1], reached[:, 3], atol=2e-3)


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
    assert not (info["arrived"] or info["collided"] or info["off_road"])
    with pytest.raises(DepoError, match="vehicle 99999 is not in the recording"):
        env.reset(options={"vehicle": 99999})


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
    host = HostEnvironment(ID, {"recording": recording_file, "horizon": 40})
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
    one = gym.make(ID, recording=recording_file, part="all").unwrapped
    many = gym.make_vec(ID, num_envs=3, recording=recording_file, part="all")
    states, _ = many.reset(seed=[5, 6, 7])
    vehicles = np.asarray(many.unwrapped._ego.vehicle)
    state, _ = one.reset(options={"vehicle": int(vehicles[1])})
    np.testing.assert_array_equal(state, states[1])
    for t in range(30):
        action = np.array([0.2 * np.sin(t), 0.01], np.float32)
        state = one.step(action)[0]
        states = many.step(np.tile(action, (3, 1)))[0]
        np.testing.assert_allclose(state, states[1], atol=1e-4)


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"horizon": 0}, "horizon 0"), ({"smoothing": 0}, "smoothing 0"), ({"overlap": -1.0}, "-1.0")],
)
def test_impossible_settings_are_refused(settings: dict, message: str) -> None:
    with pytest.raises(DepoError, match=message):
        DrivingSettings(**settings)
    with pytest.raises(DepoError, match="did you mean 'truck'"):
        vehicle_type("trucks")


def _pose(x: float, y: float, speed: float, angle: float) -> Pose:
    values = (x, y, speed, np.cos(angle), np.sin(angle))
    return Pose(*(jnp.array(value, jnp.float32) for value in values))


def _alone(pose: Pose) -> jnp.ndarray:
    """The state of an ego with nobody around."""
    return jnp.tile(jnp.stack([pose.x, pose.y, *pose.velocity()]), 7)


def _keys(count: int) -> jnp.ndarray:
    return jax.random.key_data(jax.random.split(jax.random.key(0), count))

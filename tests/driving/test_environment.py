"""Episodes of the driving simulator: how they begin, how they end."""

from __future__ import annotations

import equinox as eqx
import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import depo  # noqa: F401  (registers the environment)
from depo.core.errors import DepoError
from depo.driving.environment import DrivingEnvironment, Outcome
from depo.driving.gymnasium_environments import reset, step
from depo.driving.scene import scene_of
from depo.driving.settings import ID
from depo.driving.traffic.road import Road
from depo.driving.vehicles import VEHICLES
from tests.support.driving import keys
from tests.support.traffic import recording_of, steady

DT = 0.1
ROAD = Road.i80()
NOW, APART = 50, 1000
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
    environment = DrivingEnvironment(scene, VEHICLES["normal"], firsts, horizon=HORIZON)
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
        DrivingEnvironment(scene, VEHICLES["normal"], [1])


def test_no_step_crosses_a_reset(environment: DrivingEnvironment) -> None:
    ego, state = jax.tree.map(np.asarray, reset(environment, keys(64)))
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

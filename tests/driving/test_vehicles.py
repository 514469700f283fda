"""Types of vehicles: what they may do, and that they drive alike where they should."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import depo  # noqa: F401  (registers the environment)
from depo.driving.environment import DrivingEnvironment
from depo.driving.gymnasium_environments import drive
from depo.driving.skill import driving_skill
from depo.driving.traffic.road import Road
from depo.driving.vehicles import VEHICLES, find_vehicle
from tests.support.driving import keys

ROAD = Road.i80()


def test_units_and_limits_are_those_of_the_facts() -> None:
    normal = VEHICLES["normal"]
    assert normal.acceleration == pytest.approx(6.17, abs=0.01)
    assert 1 / normal.curvature == pytest.approx(100 / 6.4865, rel=1e-3)
    assert normal.most_curvature(3.0) == pytest.approx(normal.curvature)
    assert normal.most_curvature(2 * 25 / 6.4865) == pytest.approx(normal.curvature / 4, rel=1e-3)
    assert ROAD.zone[1] - ROAD.zone[0] == pytest.approx(215, abs=0.5)


def test_inverse_and_transpose_drive_like_normal(environment: DrivingEnvironment) -> None:
    def play(kind: str) -> np.ndarray:
        own = DrivingEnvironment(environment.scene, find_vehicle(kind))
        skill = driving_skill(kind)

        @eqx.filter_jit
        def played(own: DrivingEnvironment) -> jax.Array:
            def step(carry, t):
                ego, state = carry
                wish = state[:, 2:4] + jnp.stack([0.3 * jnp.sin(t / 9), 0.05 * jnp.cos(t / 7)])
                done = own.step(ego, skill.mode(state, wish))
                return (done.ego, done.state), done.reached

            return jax.lax.scan(step, own.reset(keys(32)), jnp.arange(120.0))[1]

        return np.asarray(played(own))

    normal = play("normal")
    assert len(np.unique(normal[:, 0, 0])) > 100
    for kind in ("inverse", "transpose"):
        np.testing.assert_allclose(play(kind), normal, atol=1e-3)


def test_a_truck_is_longer_slower_and_turns_less(environment: DrivingEnvironment) -> None:
    truck = DrivingEnvironment(environment.scene, VEHICLES["truck"])
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

"""The skill that is a formula: the action that takes a vehicle where it is to go."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import depo  # noqa: F401  (registers the environment)
from depo.driving.kinematics import move
from depo.driving.skill import driving_skill
from depo.driving.vehicles import VEHICLES
from tests.support.driving import alone, poses

DT = 0.1


@pytest.mark.parametrize("kind", sorted(VEHICLES))
@pytest.mark.parametrize("plans", ["velocity", "position-and-velocity"])
def test_the_skill_names_the_action_that_was_taken(kind: str, plans: str) -> None:
    generator, vehicle = np.random.default_rng(0), VEHICLES[kind]
    speed = np.append(generator.uniform(1.0, 40.0, 2000), [0.0, 1e-4, 0.01])
    pose = poses(speed, generator.uniform(-0.4, 0.4, len(speed)))
    asked = jnp.asarray(generator.uniform(-1, 1, (len(speed), 2)), jnp.float32)
    after = move(pose, *vehicle.decode(asked), DT)
    skill, state = driving_skill(kind, plans), alone(pose)
    named = skill.mode(state, skill.select(alone(after)))
    np.testing.assert_allclose(named[:2000], asked[:2000], atol=5e-3)
    again = move(pose, *vehicle.decode(named), DT)
    np.testing.assert_allclose(again.speed[:2000], after.speed[:2000], atol=1e-4)
    np.testing.assert_allclose(again.dy[:2000], after.dy[:2000], atol=1e-5)
    # from a standstill its heading is not known, but hardly matters
    np.testing.assert_allclose(again.speed[2000:], after.speed[2000:], rtol=0.1, atol=1e-3)


@pytest.mark.parametrize("kind", sorted(VEHICLES))
def test_any_plan_gives_a_bounded_action_with_a_finite_gradient(kind: str) -> None:
    generator, skill = np.random.default_rng(0), driving_skill(kind)
    speed = np.append(generator.uniform(0.0, 30.0, 500), [0.0, 0.0])
    state = alone(poses(speed, generator.uniform(-0.4, 0.4, 502)))
    target = jnp.asarray(generator.uniform(-60, 60, (502, 2)), jnp.float32).at[-1].set(0.0)
    assert (jnp.abs(skill.mode(state, target)) <= 1).all()
    slope = jax.vmap(jax.jacobian(skill.mode, argnums=1))(state, target)
    assert np.isfinite(slope).all()
    assert (slope != 0).any()


def test_a_plan_out_of_reach_is_approached() -> None:
    state = alone(poses([10.0, 10.0], [0.0, 0.0]))
    faster, backwards = driving_skill().mode(state, jnp.array([[30.0, 0.0], [-5.0, 0.1]]))
    assert faster.tolist() == [1.0, 0.0]
    assert backwards.tolist() == [-1.0, 0.0]

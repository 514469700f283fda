"""Where a planner thinks it is going: its plans one after the other, without any action."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.core.errors import DepoError
from depo.driving.drivers import Driver
from depo.driving.environment import DrivingEnvironment, Ego
from depo.driving.kinematics import STANDING, Pose
from depo.driving.skill import planned_velocity


@eqx.filter_jit
def imagine(
    environment: DrivingEnvironment, driver: Driver, ego: Ego, steps: int = 30
) -> Float[Array, "steps copies 4"]:
    """(x, y, vx, vy) of egos that always get what they plan, the others moving as recorded.

    The position follows the velocity, as for everybody; a planned velocity is simply taken over.
    """
    dt = environment.scene.time_step

    def step(ego: Ego, _: None) -> tuple[Ego, Array]:
        plan = driver.decide(environment, ego, environment.observe(ego)).plan
        if not plan.shape[-1]:
            raise DepoError("this driver plans nothing: there is no plan to draw, pass --ahead 0")
        vx, vy = planned_velocity(plan)
        square = vx**2 + vy**2
        moves = square > STANDING**2
        speed = jnp.sqrt(jnp.where(moves, square, 1.0))
        now_x, now_y = ego.pose.velocity()
        pose = Pose(
            ego.pose.x + now_x * dt,
            ego.pose.y + now_y * dt,
            jnp.where(moves, speed, 0.0),
            jnp.where(moves, vx / speed, ego.pose.dx),
            jnp.where(moves, vy / speed, ego.pose.dy),
        )
        after = Ego(ego.vehicle, ego.frame + 1, pose, ego.elapsed + 1, ego.key)
        return after, jnp.stack([pose.x, pose.y, *pose.velocity()], axis=-1)

    return jax.lax.scan(step, ego, length=steps)[1]

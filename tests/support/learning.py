"""Updates of an off-policy method alone, on steps whose answer is known: no run, no simulator.

In the plane, s' = s + a/10; the expert walks right at half speed, not quite straight; being away
from y = 0 costs.
Steps are drawn anew in every update, by uniformly random actions, so nothing but the method learns.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from depo.data.transitions import Transitions
from depo.methods.method import Agent
from depo.methods.off_policy.method import Shape
from depo.methods.optimisation import replace_skill
from depo.methods.registry import OFF_POLICY, find_method
from depo.methods.settings_tree import every_name, settings_from
from depo.models.normaliser import Normaliser
from tests.environments.point import STEP

RIGHT = jnp.array([STEP / 2, 0.0])
"""What the expert's steps are."""
SWERVE = STEP / 10
QUICK = {
    "hidden": 32,
    "skill_hidden": 32,
    "discriminator_hidden": 32,
    **dict.fromkeys(("actor_rate", "critic_rate", "planner_rate", "skill_rate"), 3e-3),
    **dict.fromkeys(("forward_rate", "recogniser_rate"), 3e-3),
    "gamma": 0.5,
}
"""What learns within a second of updates."""
ROWS = 64


def learned(
    method: str,
    updates: int = 800,
    copies: int = 1,
    shown: Any = None,
    skill: Any = None,
    **values: Any,
) -> tuple[Any, Agent, dict[str, float]]:
    """A method, what it has learned, and the last metrics; with ``copies`` 2 every motor is there
    twice, and the two add up. ``shown`` are other expert transitions than :func:`expert`'s,
    ``skill`` is a formula."""
    own = find_method(method).implementation(OFF_POLICY)
    known = every_name(own.settings)
    said = {name: value for name, value in {**QUICK, **values}.items() if name in known}
    built = own.build(settings_from(own.settings, said))
    seen = expert() if shown is None else shown
    normaliser = Normaliser.of(*seen[:1], 20.0, seen[1] if "step_units" in known else None)
    shape = Shape(normaliser, 2 * copies, normaliser, (0, 1), expert=seen)
    agent = built.init(jax.random.key(0), shape)
    agent = agent if skill is None else replace_skill(agent, skill)
    arrays, rest = eqx.partition(agent, eqx.is_array)

    def one(arrays: Any, key: Any) -> tuple[Any, Any]:
        batch = steps(key, copies)
        after, metrics = built.update(eqx.combine(arrays, rest), batch, batch, seen, key)
        return eqx.filter(after, eqx.is_array), metrics

    keys = jax.random.split(jax.random.key(1), updates)
    arrays, metrics = jax.jit(lambda a, k: jax.lax.scan(one, a, k))(arrays, keys)
    return built, eqx.combine(arrays, rest), {n: float(x[-1]) for n, x in metrics.items()}


def expert() -> tuple[jax.Array, jax.Array]:
    """Steps to the right from anywhere."""
    places, swerves = jax.random.split(jax.random.key(2))
    state = jax.random.uniform(places, (256, 2), minval=-1.0)
    return state, state + RIGHT + SWERVE * jax.random.normal(swerves, state.shape)


def steps(key: Any, copies: int = 1) -> Transitions:
    """A minibatch of random ones."""
    places, moves = jax.random.split(key)
    state = jax.random.uniform(places, (ROWS, 2), minval=-1.0)
    action = jax.random.uniform(moves, (ROWS, 2 * copies), minval=-1.0)
    reached = state + moved(action)
    return Transitions(state, action, reached, -jnp.abs(reached[:, 1]), jnp.zeros(ROWS, bool))


def moved(action: jax.Array) -> jax.Array:
    """Where an action leads."""
    return STEP * action.reshape(*action.shape[:-1], -1, 2).mean(axis=-2)


def places() -> jax.Array:
    """Where answers are asked for."""
    return jax.random.uniform(jax.random.key(3), (64, 2), minval=-0.7, maxval=0.7)

"""The planner's losses on finite states."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from depo.losses import decoupled_policy_gradient as depg
from depo.methods.depo.on_policy import clipped_decoupled_gradient, decoupled_gradient
from depo.methods.on_policy.steps import Advantages
from depo.models.planner import CategoricalPlanner
from depo.models.skill import CategoricalSkill
from tests.support.descent import minimise

STATES, ACTIONS, CLIP = 4, 3, 0.2


def test_a_bound_stops_a_policy_that_has_moved_as_far() -> None:
    planner_key, skill_key = jax.random.split(jax.random.key(0))
    state = jnp.arange(STATES)
    batch = Advantages(state, state % ACTIONS, state, state, jnp.ones(STATES), jnp.ones(STATES))
    before = CategoricalPlanner(planner_key, STATES, (8,))
    skill = CategoricalSkill(skill_key, STATES, ACTIONS, (8,))
    skill = jax.tree.map(lambda x: 5.0 * x, skill)  # sharp: plans decide
    minibatch = (state, (state, state), planner_key)
    log_skill = skill.towards_all(state)[state, :, batch.action]

    def moved(loss) -> np.ndarray:  # type: ignore[no-untyped-def]
        after = minimise(before, lambda planner: loss(planner, minibatch))
        old, new = (depg.log_marginal(h, state, log_skill) for h in (before, after))
        return np.exp(new - old)

    free = moved(decoupled_gradient(batch, skill, "exact"))
    bound = moved(clipped_decoupled_gradient(batch, skill, before, CLIP))
    assert (free > 1.5).sum() >= 2
    assert (bound > 1.1)[free > 1.5].all()
    assert bound.max() < 1.35

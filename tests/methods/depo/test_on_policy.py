"""The planner's losses on finite states."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from depo.losses import decoupled_policy_gradient as depg
from depo.methods.depo.on_policy import (
    Minibatch,
    PlannerLoss,
    clipped_decoupled_gradient,
    decoupled_gradient,
)
from depo.methods.on_policy.steps import Advantages
from depo.models.planner import CategoricalPlanner
from depo.models.skill import CategoricalSkill
from tests.support.descent import minimise

STATES, ACTIONS, CLIP = 4, 3, 0.2


def test_a_bound_is_felt_by_those_alone_that_have_moved_as_far() -> None:
    planner_key, skill_key = jax.random.split(jax.random.key(0))
    state = jnp.arange(STATES)
    batch = Advantages(state, state % ACTIONS, state, state, jnp.ones(STATES), jnp.ones(STATES))
    before = CategoricalPlanner(planner_key, STATES, (8,))
    skill = CategoricalSkill(skill_key, STATES, ACTIONS, (8,))
    skill = jax.tree.map(lambda x: 5.0 * x, skill)  # sharp: plans decide
    minibatch = (state, (state, state), planner_key)
    log_skill = skill.towards_all(state)[state, :, batch.action]

    free = decoupled_gradient(batch, skill, "exact")
    bound = clipped_decoupled_gradient(batch, skill, before, CLIP)
    far = minimise(before, lambda planner: free(planner, minibatch))
    old, new = (depg.log_marginal(h, state, log_skill) for h in (before, far))
    moved = np.flatnonzero(new - old > np.log1p(CLIP))
    assert len(moved) >= 2
    beyond = (jnp.asarray(moved), (state, state), planner_key)

    @eqx.filter_jit
    def followed(loss: PlannerLoss, planner: CategoricalPlanner, batch: Minibatch) -> jax.Array:
        gradient = eqx.filter_grad(loss)(planner, batch)
        return jnp.concatenate([x.ravel() for x in jax.tree.leaves(gradient)])

    np.testing.assert_allclose(
        followed(bound, before, minibatch), followed(free, before, minibatch), rtol=1e-4, atol=1e-6
    )
    assert np.abs(followed(free, far, beyond)).max() > 0
    assert not np.any(followed(bound, far, beyond))

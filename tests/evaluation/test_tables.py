"""The probabilities of actions in every finite state."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from depo.evaluation.tables import policy_table
from depo.models.planner import CategoricalPlanner
from depo.models.policy import CategoricalActor, DecoupledPolicy
from depo.models.skill import CategoricalSkill
from tests.support.policies import decided

KEY = jax.random.key(0)


def test_the_policy_table_is_the_marginal_over_plans() -> None:
    planner, skill = CategoricalPlanner(KEY, 70, (8,)), CategoricalSkill(KEY, 70, 3, (8,))
    table = policy_table(DecoupledPolicy(planner, skill), 70)
    h = np.exp(planner.log_probabilities(jnp.arange(70)))
    skills = np.exp(skill.towards_all(jnp.arange(70)))
    np.testing.assert_allclose(table.probabilities, np.einsum("sp,spa->sa", h, skills), rtol=1e-4)
    assert table.plan.tolist() == h.argmax(axis=1).tolist()


def test_on_slippery_ice_the_action_is_that_of_all_plans_together() -> None:
    """The expert pushes against the wall (action 0) and so slips up, down or stays, alike often;
    each outcome has two other actions that give it as often."""
    planner = CategoricalPlanner(KEY, 3, ())
    outcomes = jnp.log(jnp.full((3, 3), 1 / 3))
    planner, skill = decided(planner), decided(CategoricalSkill(KEY, 3, 4, ()))
    planner = eqx.tree_at(lambda h: h.network.weights[0], planner, outcomes)
    ways = np.log(1e-9 + np.array([[1, 1, 1, 0], [1, 0, 1, 1], [1.01, 1.02, 0, 1.02]]) / 3)
    rows = jnp.concatenate([jnp.zeros((3, 4)), jnp.asarray(ways, jnp.float32)])
    skill = eqx.tree_at(lambda i: i.network.weights[0], skill, rows)
    policy = DecoupledPolicy(planner, skill)
    assert policy.mode(jnp.arange(3)).action.tolist() == [0, 0, 0]
    assert policy.mode(jnp.array(1)).action == 0
    assert skill.mode(jnp.array(0), jnp.array(2)) != 0  # a single plan says another


def test_an_actor_plans_nothing() -> None:
    table = policy_table(CategoricalActor(KEY, 4, 3, (8,)), 4)
    assert (table.plan == -1).all()
    np.testing.assert_allclose(table.probabilities.sum(axis=1), 1, rtol=1e-5)

"""The probabilities of actions in every finite state."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from depo.evaluation.tables import policy_table
from depo.models.planner import CategoricalPlanner
from depo.models.policy import CategoricalActor, DecoupledPolicy
from depo.models.skill import CategoricalSkill

KEY = jax.random.key(0)


def test_the_policy_table_is_the_marginal_over_plans() -> None:
    planner, skill = CategoricalPlanner(KEY, 70, (8,)), CategoricalSkill(KEY, 70, 3, (8,))
    table = policy_table(DecoupledPolicy(planner, skill), 70)
    h = np.exp(planner.log_probabilities(jnp.arange(70)))
    skills = np.exp(skill.towards_all(jnp.arange(70)))
    np.testing.assert_allclose(table.probabilities, np.einsum("sp,spa->sa", h, skills), rtol=1e-4)
    assert table.plan.tolist() == h.argmax(axis=1).tolist()


def test_an_actor_plans_nothing() -> None:
    table = policy_table(CategoricalActor(KEY, 4, 3, (8,)), 4)
    assert (table.plan == -1).all()
    np.testing.assert_allclose(table.probabilities.sum(axis=1), 1, rtol=1e-5)

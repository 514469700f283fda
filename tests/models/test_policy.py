"""A policy is what a planner and a skill do together."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from depo.models.normaliser import Normaliser
from depo.models.planner import GaussianPlanner
from depo.models.policy import DecoupledPolicy
from depo.models.skill import AnalyticSkill

KEY = jax.random.key(0)


def test_a_vector_policy_goes_where_an_analytic_skill_takes_it() -> None:
    normaliser = Normaliser(jnp.array([1.0, -2.0, 0.5]), jnp.array([2.0, 0.5, 10.0]))
    planner = GaussianPlanner(KEY, normaliser, (16, 16))
    policy = DecoupledPolicy(planner, AnalyticSkill(lambda state, target: target - state))
    state = jnp.ones((2, 3))
    decision = policy.mode(state)
    np.testing.assert_allclose(state + decision.action, decision.plan, rtol=1e-5)
    assert policy.sample(state, KEY).action.shape == (2, 3)

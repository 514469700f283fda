"""The plain policy against the compiled one, for every kind of model."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from depo.models.plain_model import plain_policy
from depo.models.policy import DecoupledPolicy
from depo.models.skill import AnalyticSkill
from depo.models.variational_planner import VariationalPlanner
from tests.support.policies import EVERY, by_jax, continuous, on_vectors, states_of, statistics


@pytest.mark.parametrize("kind", EVERY)
def test_many_states_give_the_compiled_actions(kind: str) -> None:
    policy = EVERY[kind]()
    states = states_of(policy)
    plain = plain_policy(policy.model, policy.observations, policy.actions)
    assert plain is not None
    actions = plain.act(states)
    expected = by_jax(policy, states)
    assert actions.dtype == expected.dtype
    np.testing.assert_allclose(actions, expected, atol=1e-5)
    assert len(np.unique(expected, axis=0)) > 1
    if isinstance(policy.model, DecoupledPolicy):
        plans = np.asarray(policy._plan(states))
        np.testing.assert_allclose(plain.plan(states), plans, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", EVERY)
def test_one_state_gives_what_it_gives_among_many(kind: str) -> None:
    policy = EVERY[kind]()
    states = states_of(policy, 3)
    if policy.remembers:
        now, before = np.split(states, 2, axis=-1)
        alone = [policy.act(s, previous=b) for s, b in zip(now, before, strict=True)]
    else:
        alone = [policy.act(state) for state in states]
    together = by_jax(policy, states)
    assert [np.shape(one) for one in alone] == [np.shape(one) for one in together]
    assert type(alone[0]) is type(together[0])
    np.testing.assert_allclose(alone, together, atol=1e-5)


def test_a_formula_is_left_to_the_compiled_path() -> None:
    planner = continuous().model.planner
    skill = AnalyticSkill(lambda state, target: (target - state)[..., :2])
    policy = on_vectors(DecoupledPolicy(planner, skill))
    assert plain_policy(policy.model, policy.observations, policy.actions) is None
    assert policy.act(np.zeros(4)).shape == (2,)


def test_a_planner_that_plans_otherwise_is_left_to_it_too() -> None:
    planner = VariationalPlanner(jax.random.key(0), statistics(), (8,), latent=2)
    policy = on_vectors(DecoupledPolicy(planner, continuous().model.skill))
    assert plain_policy(policy.model, policy.observations, policy.actions) is None
    states = states_of(policy, 3)
    alone = [policy.act(state) for state in states]
    np.testing.assert_allclose(alone, by_jax(policy, states), atol=1e-5)

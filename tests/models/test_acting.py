from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depo import DepoError
from depo.models.acting import Policy, Space
from depo.models.card import Origin
from depo.models.normaliser import Normaliser
from depo.models.planner import CategoricalPlanner, GaussianPlanner
from depo.models.policy import CategoricalActor, DecoupledPolicy, GaussianActor
from depo.models.skill import CategoricalSkill, VectorSkill

KEY = jax.random.key(0)
BOX = Space.box(np.array([-3.0, 0.0], np.float32), np.array([5.0, 1.0], np.float32))
NAMED = Origin(environment="point-v0", method="depo", features=("x", "y", "z"), seed=2)


def gaussian() -> Policy:
    actor = GaussianActor(KEY, Normaliser.none(3, 10.0), actions=2, hidden=(8,))
    return Policy(actor, observations=Space.vector(3), actions=BOX, origin=NAMED)


def decoupled(remembers: bool = False) -> Policy:
    sees = Normaliser.none(3)
    planner = GaussianPlanner(KEY, sees, (8,), predicts=(0, 2))
    skill = VectorSkill(KEY, sees.twice() if remembers else sees, 2, (8,), predicts=(0, 2))
    model = DecoupledPolicy(planner, skill)
    return Policy(
        model, observations=Space.vector(3), actions=BOX, remembers=remembers, origin=NAMED
    )


def finite() -> Policy:
    model = DecoupledPolicy(CategoricalPlanner(KEY, 5, (8,)), CategoricalSkill(KEY, 5, 4, (8,)))
    return Policy(model, observations=Space.finite(5), actions=Space.finite(4))


@pytest.mark.parametrize("make", [gaussian, decoupled])
def test_actions_are_in_the_environments_own_units(make) -> None:
    policy, states = make(), np.random.default_rng(0).normal(size=(7, 3))
    actions = policy.act(states)
    assert actions.shape == (7, 2)
    assert actions.dtype == np.float32
    unit = np.asarray(policy.model.mode(jnp.asarray(states, jnp.float32)).action)
    np.testing.assert_allclose(actions, [-3, 0] + (unit + 1) / 2 * [8, 1], rtol=1e-5, atol=1e-6)
    for state, action in zip(states, actions, strict=True):
        one = policy.act(state)
        assert one.shape == (2,)
        np.testing.assert_allclose(one, action, atol=1e-5)
    assert policy.act(states[:0]).shape == (0, 2)


def test_finite_actions_are_whole_numbers() -> None:
    policy = finite()
    actions = policy.act([0, 1, 2])
    assert actions.dtype == np.int64
    assert [policy.act(s) for s in range(3)] == list(actions)
    assert {policy.act(1): "hashable"}
    plans = policy.plan([0, 1, 2])
    assert plans.shape == (3,)
    assert policy.plan(1) == plans[1]


def test_arrays_of_several_axes_keep_their_shapes() -> None:
    actor = GaussianActor(KEY, Normaliser.none(6), actions=2, hidden=(8,))
    box = Space.box(np.full((1, 2), -1.0, np.float64), np.ones((1, 2), np.float64))
    policy = Policy(actor, observations=Space.vector(2, 3), actions=box)
    assert policy.act(np.zeros((2, 3))).shape == (1, 2)
    assert policy.act(np.zeros((4, 2, 3))).shape == (4, 1, 2)
    assert policy.act(np.zeros((2, 3))).dtype == np.float64


def test_random_actions_follow_their_seed() -> None:
    policy, state = gaussian(), np.zeros(3)
    same = [policy.act(state, deterministic=False, seed=4) for _ in range(2)]
    np.testing.assert_array_equal(*same)
    first, second = (policy.act(state, deterministic=False) for _ in range(2))
    assert not np.array_equal(first, second)
    assert (first >= [-3, 0]).all()
    assert (first <= [5, 1]).all()


def test_threads_draw_different_actions() -> None:
    policy, state = gaussian(), np.zeros(3)
    with ThreadPoolExecutor(8) as pool:
        drawn = list(pool.map(lambda _: policy.act(state, deterministic=False), range(64)))
    assert len({action.tobytes() for action in drawn}) == 64


def test_plans_have_the_planned_features() -> None:
    policy = decoupled()
    assert policy.planned_features == ("x", "z")
    assert policy.plan(np.zeros(3)).shape == (2,)
    assert policy.plan(np.zeros((4, 3)), deterministic=False, seed=1).shape == (4, 2)
    assert gaussian().planned_features == ()
    with pytest.raises(DepoError, match="depo acts without a planner"):
        gaussian().plan(np.zeros(3))


def test_a_policy_that_remembers_has_an_episode_for_each_thread() -> None:
    policy = decoupled(remembers=True)
    first, second = np.ones(3), np.array([0.5, 0.0, 2.0])
    begun = policy.act(first, previous=first)
    gone_on = policy.act(second, previous=first)
    assert not np.allclose(gone_on, policy.act(second, previous=second))
    for _ in range(2):
        policy.reset()
        np.testing.assert_array_equal(policy.act(first), begun)
        with ThreadPoolExecutor(1) as pool:  # somebody else's episode
            pool.submit(policy.act, second).result()
        np.testing.assert_array_equal(policy.act(second), gone_on)
    with pytest.raises(DepoError, match=r"call reset\(\)"):
        policy.act(np.ones((4, 3)))
    assert policy.act(np.ones((4, 3))).shape == (4, 2)  # forgotten with the error
    with pytest.raises(DepoError, match="does not remember"):
        gaussian().act(first, previous=first)


@pytest.mark.parametrize(
    ("make", "observation", "sentence"),
    [
        (gaussian, np.zeros(4), r"shape \(4,\), this policy acts on \(3,\) \(point-v0\)"),
        (gaussian, np.zeros((2, 2, 3)), r"shape \(2, 2, 3\)"),
        (gaussian, 1.0, r"shape \(\)"),
        (gaussian, [0.0, np.nan, 0.0], "not finite in feature y"),
        (gaussian, ["a", "b", "c"], "give numbers"),
        (finite, 5, "none of the 5 states"),
        (finite, -1, "none of the 5 states"),
        (finite, 0.5, "whole numbers"),
        (finite, [[1]], "shape"),
    ],
)
def test_a_wrong_observation_gets_a_sentence(make, observation, sentence: str) -> None:
    with pytest.raises(DepoError, match=sentence):
        make().act(observation)


@pytest.mark.wrong_types
def test_an_observation_of_several_parts_gets_a_sentence() -> None:
    with pytest.raises(DepoError, match=r"the parts place, goal, .* Flattening\.of\("):
        gaussian().act({"place": [0.0, 0.0], "goal": [1.0]})


def test_a_short_repr() -> None:
    assert repr(gaussian()) == "Policy(depo on point-v0, 3 features → 2 actions, seed 2)"
    assert "5 finite states → 4 finite actions" in repr(finite())


def test_an_actor_on_finite_states_acts() -> None:
    actor = CategoricalActor(KEY, 5, 2, (8,))
    policy = Policy(actor, observations=Space.finite(5), actions=Space.finite(2))
    assert policy.act(np.int64(4)) in (0, 1)


def test_a_number_alone_is_a_space_too() -> None:
    normaliser = Normaliser(jnp.zeros(1), jnp.ones(1))
    actor = GaussianActor(jax.random.key(0), normaliser, actions=1, hidden=(8,))
    low, high = np.array(-2.0, np.float32), np.array(2.0, np.float32)
    policy = Policy(actor, observations=Space.vector(), actions=Space.box(low, high))
    alone = [policy.act(state) for state in (0.1, np.float32(0.5))]
    assert [np.shape(action) for action in alone] == [(), ()]
    np.testing.assert_allclose(policy.act(np.array([0.1, 0.5])), alone, atol=1e-5)
    assert "1 features → 1 in [-2, 2] actions" in repr(policy)

"""Anybody's JAX environment as ours, as a Gymnasium environment, and in training."""

from __future__ import annotations

from typing import NamedTuple

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import depo
from depo.core.errors import DepoError
from depo.environments.given import environment_of
from depo.environments.gymnax_environment import WithTimeLimit, jax_environment
from depo.environments.jax_environment import TRUNCATED, begin, keys_of, step
from tests.support.pure import Params, Plain, Point


def test_parameters_bounds_and_the_time_limit_are_found() -> None:
    own = jax_environment(Point())
    assert (own.actions, own.limit) == (2, 12)
    seen, state = own.reset(jax.random.key(0))
    reached, state, _, done, about = own.step(state, jnp.array([1.0, 0.5]), jax.random.key(1))
    np.testing.assert_allclose(reached - seen, [0.1, 0.05], atol=1e-6)  # own units are ±2
    assert not done
    assert not about[TRUNCATED]
    assert jax_environment(Point(), Params(max_steps_in_episode=5)).limit == 5
    assert jax_environment(Point(), time_limit=7).limit == 7
    assert jax_environment(Plain(jnp.zeros(2))).limit == 1000


def test_ends_are_told_from_cuts_and_no_step_crosses_a_reset() -> None:
    own, keys = jax_environment(Point()), jnp.asarray(keys_of(range(8)))
    copies = begin(own, keys)
    move = jax.jit(lambda copies, action: step(own, copies, action, jax.random.key(0)))
    generator = np.random.default_rng(0)
    ends = cuts = 0
    for _ in range(40):
        action = np.sign(generator.normal(size=(8, 2)) + 0.7).astype(np.float32)
        before = copies.seen
        copies, moved = move(copies, action)
        np.testing.assert_allclose(moved.reached, before + 0.1 * action, atol=1e-6)
        over = moved.terminated | moved.truncated
        assert (np.abs(moved.reached).max(axis=1) > 1.5)[moved.terminated].all()
        np.testing.assert_array_equal(copies.seen[~over], moved.reached[~over])
        assert (np.abs(copies.seen[over]) <= 1.0).all()  # the next episode's start
        ends, cuts = ends + int(moved.terminated.sum()), cuts + int(moved.truncated.sum())
    assert ends
    assert cuts


def test_our_own_protocol_is_taken_as_it_is() -> None:
    class Ours:
        actions = 1

        def reset(self, key):
            return jnp.zeros(3), jnp.zeros(3)

        def step(self, state, action, key):
            return state + action, state + action, 0.0, jnp.array(False), {}

    own = jax_environment(Ours(), time_limit=3)
    assert isinstance(own, WithTimeLimit)
    assert isinstance(own.environment, Ours)


class Wordless(Point):
    action_space = None  # type: ignore[assignment]


class Finite(Point):
    def action_space(self, params):
        return "Discrete(3)"


class Choice(NamedTuple):
    """Discrete, as gymnax has it."""

    n: int


class Steps(Point):
    """Stay, or one step right."""

    def action_space(self, params):
        return Choice(2)

    def step_env(self, key, state, action, params):
        own = jnp.where(action == 1, jnp.array([2.0, 0.0]), 0.0)
        return super().step_env(key, state, own, params)


def test_a_choice_is_one_hot_in_the_compiler_and_a_number_outside() -> None:
    given = environment_of(Steps()).gymnasium()
    assert given.vector_sizes() == (2, 2, (2,))
    assert given.own_spaces()[1] == gym.spaces.Discrete(2)
    many, one = given.make_vector(2), given.make()
    before, _ = many.reset(seed=[5, 6])
    after, *_ = many.step(np.eye(2, dtype=np.float32))
    np.testing.assert_allclose(after - before, [[0, 0], [0.1, 0]], atol=1e-6)
    np.testing.assert_array_equal(one.reset(seed=6)[0], before[1])
    np.testing.assert_allclose(one.step(np.array([0, 1]))[0], after[1], atol=1e-6)


class OfNumPy(Point):
    def step_env(self, key, state, action, params):
        return np.asarray(action), state, 0.0, False, {}


class Growing(Point):
    def step_env(self, key, state, action, params):
        return jnp.zeros(5), state, 0.0, False, {}


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        (Wordless(), "give it action_space"),
        (Finite(), "takes vectors"),
        (OfNumPy(), "cannot be compiled"),
        (Growing(), "vectors of one length"),
    ],
)
def test_what_cannot_be_compiled_gets_a_sentence(environment, sentence: str) -> None:
    with pytest.raises(DepoError, match=sentence):
        depo.train("sac", env=environment)

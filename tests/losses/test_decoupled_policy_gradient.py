"""The decoupled gradient against the exact one, on finite states and on vectors."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import Array, Float

from depo.losses import decoupled_policy_gradient as depg
from depo.models.critic import TwinCritic
from depo.models.normaliser import Normaliser
from depo.models.planner import CategoricalPlanner, GaussianPlanner
from depo.models.skill import CategoricalSkill, DiscreteSkill, VectorSkill

KEY = jax.random.key(0)
PLAIN = Normaliser.none(2)


def test_the_decoupled_gradient_follows_q_through_the_skill_and_leaves_it_alone() -> None:
    planner = GaussianPlanner(KEY, PLAIN, (16,))
    skill = VectorSkill(KEY, PLAIN, 2, (16,), noise=0.0)
    critic = TwinCritic(KEY, PLAIN, 2, (16,), normalise=True)
    state = jax.random.normal(KEY, (32, 2))

    @eqx.filter_jit
    def loss(planner: GaussianPlanner) -> jax.Array:
        return -jnp.mean(depg.through_skill(critic, skill, state, planner.mode(state), KEY)[0])

    action = skill.mode(state, planner.mode(state))
    assert float(loss(planner)) == pytest.approx(
        float(-critic.least(state, action).mean()), rel=1e-5
    )
    gradient = jax.grad(lambda p: loss(p))(planner)
    small = jax.tree.map(lambda x, g: x - 1e-2 * g, planner, gradient)
    assert float(loss(small)) < float(loss(planner))


STATES, ACTIONS, ROWS = 5, 3, 400_000
PLANNER = CategoricalPlanner(jax.random.key(0), STATES, (8,))
SKILL = CategoricalSkill(jax.random.key(1), STATES, ACTIONS, (8,))
SCALED = eqx.tree_at(lambda s: s.network.weights[-1], SKILL, replace_fn=lambda w: 6 * w)
TOWARDS_ALL = SCALED.towards_all(jnp.arange(STATES))
ADVANTAGE = jax.random.normal(jax.random.key(2), (STATES, ACTIONS))
EXACT, SCORE_FUNCTION, STRAIGHT_THROUGH = (
    eqx.filter_jit(jax.grad(loss))
    for loss in (depg.exact, depg.score_function, depg.straight_through)
)


def flat(gradient: CategoricalPlanner) -> np.ndarray:
    return np.concatenate([np.asarray(x).ravel() for x in jax.tree.leaves(gradient)])


def true_gradient() -> np.ndarray:
    """−∇ Σ_s Σ_a π(a|s) A(s,a) / S by differentiating the sum itself, no log trick."""

    def objective(planner: CategoricalPlanner) -> jax.Array:
        h = jnp.exp(planner.log_probabilities(jnp.arange(STATES)))
        skill = jnp.exp(SCALED.towards_all(jnp.arange(STATES)))
        return -jnp.mean(jnp.sum(jnp.einsum("sp,spa->sa", h, skill) * ADVANTAGE, axis=1))

    return flat(jax.grad(objective)(PLANNER))


@eqx.filter_jit
def rollout(
    planner: CategoricalPlanner, skill: CategoricalSkill, key: jax.Array, rows: int
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    keys = jax.random.split(key, 3)
    state = jnp.arange(rows) % STATES
    plan = planner.sample(state, keys[0])
    action = skill.sample(state, plan, keys[1])
    return state, plan, action, ADVANTAGE[state, action]


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def relative_error(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def exact_estimate(key: jax.Array, rows: int = ROWS) -> np.ndarray:
    state, _, action, advantage = rollout(PLANNER, SCALED, key, rows)
    log_skill = TOWARDS_ALL[state, :, action]
    return flat(EXACT(PLANNER, state, log_skill, advantage))


def score_estimate(key: jax.Array, rows: int = ROWS) -> np.ndarray:
    state, plan, _, advantage = rollout(PLANNER, SCALED, key, rows)
    return flat(SCORE_FUNCTION(PLANNER, state, plan, advantage))


def straight_through_estimate(key: jax.Array, rows: int = ROWS) -> np.ndarray:
    state, _, action, advantage = rollout(PLANNER, SCALED, key, rows)
    own = jax.random.fold_in(key, 1)
    return flat(STRAIGHT_THROUGH(PLANNER, SCALED, state, action, advantage, own))


def test_the_exact_form_is_the_policy_gradient() -> None:
    assert relative_error(exact_estimate(jax.random.key(5)), true_gradient()) < 0.05


def test_the_score_function_is_unbiased() -> None:
    assert relative_error(score_estimate(jax.random.key(6)), true_gradient()) < 0.05


def test_the_exact_form_has_the_smaller_variance() -> None:
    def spread(estimate) -> float:
        draws = [estimate(jax.random.key(s), 200) for s in range(60)]
        return float(np.mean(np.var(draws, axis=0)))

    assert spread(exact_estimate) < 0.8 * spread(score_estimate)


def test_straight_through_is_biased_but_points_the_same_way() -> None:
    estimate, truth = straight_through_estimate(jax.random.key(7)), true_gradient()
    assert cosine(estimate, truth) > 0.3
    assert relative_error(estimate, truth) > 0.1


def test_discrete_actions_are_summed_over_and_the_gradient_is_the_marginal_policys() -> None:
    planner = GaussianPlanner(KEY, PLAIN, (16,))
    skill = DiscreteSkill(KEY, PLAIN, (2, 3), (16,))
    critic = TwinCritic(KEY, PLAIN, 5, (16,), normalise=True)
    state = jax.random.normal(KEY, (32, 2))

    def summed(planner: GaussianPlanner) -> jax.Array:
        return jnp.mean(depg.through_choices(critic, skill, state, planner.sample(state, KEY))[0])

    def by_hand(planner: GaussianPlanner) -> jax.Array:
        outputs = skill.distribution(state, planner.sample(state, KEY)).logits
        first, second = jax.nn.softmax(outputs[:, :2]), jax.nn.softmax(outputs[:, 2:])
        total = jnp.zeros(32)
        for i in range(2):
            for j in range(3):
                action = jnp.concatenate([jnp.eye(2)[i], jnp.eye(3)[j]])
                q = critic.least(state, jnp.broadcast_to(action, (32, 5)))
                total += first[:, i] * second[:, j] * q
        return jnp.mean(total)

    value, gradient = eqx.filter_jit(eqx.filter_value_and_grad(summed))(planner)
    expected, true = eqx.filter_jit(eqx.filter_value_and_grad(by_hand))(planner)
    assert float(value) == pytest.approx(float(expected), rel=1e-5)
    for own, other in zip(jax.tree.leaves(gradient), jax.tree.leaves(true), strict=True):
        np.testing.assert_allclose(own, other, atol=1e-6)


def test_units_of_gain_do_not_know_how_good_states_are() -> None:
    """Bad states that replay keeps weaken no gradient; in units of Q's own deviation they do."""
    key, other = jax.random.split(jax.random.key(0))
    taken = jax.random.normal(key, (64,))
    planned = taken + 2.0 * jax.random.normal(other, (64,))
    bad = jnp.where(jnp.arange(64) < 32, -50.0, 0.0)

    def pull(unit: str, shift: Float[Array, " batch"]) -> Float[Array, " batch"]:
        followed = depg.UNITS[unit]
        return jax.grad(lambda q: jnp.sum(followed(q + shift, taken + shift)))(planned)

    np.testing.assert_allclose(pull("gain", bad), pull("gain", 0.0 * bad), rtol=1e-5)
    assert (pull("deviation", bad) < 0.2 * pull("deviation", 0.0 * bad)).all()


def test_units_follow_the_scale_of_values_and_have_a_floor() -> None:
    taken = jnp.array([0.0, 4.0, -2.0])
    planned = taken + jnp.array([3.0, -1.0, 7.0])
    for unit in ("deviation", "gain"):
        once, tenfold = (depg.UNITS[unit](c * planned, c * taken) for c in (10.0, 100.0))
        np.testing.assert_allclose(once, tenfold, rtol=1e-5)
        np.testing.assert_allclose(depg.UNITS[unit](1e-3 * planned, 1e-3 * taken), 1e-3 * planned)
    np.testing.assert_array_equal(depg.UNITS["reward"](planned, taken), planned)

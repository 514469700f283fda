"""Losses on vectors, against numbers worked out otherwise."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from depo.losses import (
    adversarial_reward,
    best_of_modes,
    gradient_penalty,
    inverse_dynamics,
    soft_policy,
    supervised_planner,
    twin_critic,
)
from depo.losses import calibrated_decoupled_policy_gradient as cdepg
from depo.losses import decoupled_policy_gradient as depg
from depo.methods.descent import descend, fresh
from depo.methods.off_policy.method import STEADY, Agent, Batch, Shape
from depo.methods.off_policy.parts import (
    absorbed_value,
    judge_transitions,
    new_discriminator,
    reward_of,
)
from depo.models.judges import TwinCritic, VectorDiscriminator
from depo.models.planner import Gaussian, GaussianPlanner
from depo.models.policy import tanh_sample
from depo.models.skill import VectorSkill
from depo.models.standard import Standard
from depo.settings.off_policy import GAIfO

KEY = jax.random.key(0)
PLAIN = Standard.none(2)


def test_an_end_is_worth_its_constant_and_a_cut_bootstraps() -> None:
    target = twin_critic.target(
        jnp.array([1.0, 1.0]), jnp.array([10.0, 10.0]), jnp.array([False, True]), -3.0, 0.9
    )
    np.testing.assert_allclose(target, [10.0, 1.0 - 2.7], rtol=1e-6)


def test_an_absorbed_agent_earns_a_poor_reward_for_ever() -> None:
    s = GAIfO(termination="absorbing", reward="logit", reward_scale=0.2, absorbing_logit=5.0)
    earned = sum(s.gamma**t * float(reward_of(jnp.asarray(-5.0), s)) for t in range(5_000))
    assert float(absorbed_value(s)) == pytest.approx(earned, rel=1e-4)
    assert absorbed_value(GAIfO(termination="zero")) == 0.0


def test_a_centred_reward_has_no_mean_and_changes_no_rank() -> None:
    shape = Shape(PLAIN, 1, PLAIN, (0, 1))
    state, next_state = jax.random.normal(KEY, (2, 16, 2))
    batch = Batch(state, jnp.zeros((16, 1)), next_state, jnp.zeros(16), jnp.zeros(16, bool))
    plain, centred = GAIfO(reward_shift=3.0), GAIfO(reward_shift=3.0, reward_centre=1.0)
    agent: Agent = new_discriminator(KEY, shape, plain, STEADY)
    _, usual, _ = judge_transitions(agent, batch, (state, state), plain, STEADY, KEY)
    after, less, metrics = judge_transitions(agent, batch, (state, state), centred, STEADY, KEY)
    centre = after["centre"].model.value
    assert float(jnp.mean(less)) == pytest.approx(0.0, abs=1e-6)
    assert float(metrics["reward"]) == pytest.approx(float(centre), rel=1e-6)
    np.testing.assert_allclose(usual - less, centre, rtol=1e-5)
    ends = float(absorbed_value(plain)) - float(absorbed_value(centred, centre))
    assert ends == pytest.approx(float(centre) / (1 - plain.gamma), rel=1e-4)


def test_the_reward_is_clipped_shifted_and_scaled() -> None:
    s = GAIfO(reward="log-d", logit_clip=10.0, reward_shift=10.0, reward_scale=2.0)
    low = float(reward_of(jnp.asarray(-1e9), s))
    assert low == pytest.approx(2 * (10 + float(adversarial_reward.log_d(jnp.asarray(-10.0)))))
    assert float(reward_of(jnp.asarray(1e9), s)) == pytest.approx(20.0, abs=1e-3)


@pytest.mark.parametrize("name", list(cdepg.WEIGHTS))
def test_weights_are_finite_and_not_negative_even_when_all_values_are_equal(name: str) -> None:
    for q in (jnp.full(8, 3.0), jnp.arange(8.0) - 4.0):
        weight = np.asarray(cdepg.WEIGHTS[name](q))
        assert np.isfinite(weight).all()
        assert (weight >= 0).all()
    np.testing.assert_allclose(cdepg.min_max(jnp.array([2.0, 4.0, 3.0])), [0.0, 1.0, 0.5])


def test_the_penalty_of_a_linear_discriminator_is_its_slope() -> None:
    model = VectorDiscriminator(KEY, PLAIN, hidden=())
    weights = jnp.array([[3.0], [0.0], [4.0], [0.0]])
    model = eqx.tree_at(lambda m: m.network.weights[0], model, weights)
    points = jax.random.normal(KEY, (2, 16, 4))
    assert float(gradient_penalty.loss(model, points[0], points[1], KEY)) == pytest.approx(16.0)


def test_density_of_a_squashed_gaussian() -> None:
    mean, log_std = 0.4, -0.7
    before = Gaussian(jnp.full((50_000, 1), mean), jnp.full((50_000, 1), log_std))
    action, log_prob, _ = tanh_sample(before, KEY)

    def density(a: float) -> float:
        return norm.pdf(np.arctanh(a), mean, np.exp(log_std)) / (1 - a**2)

    at = float(action[7, 0])
    assert float(log_prob[7]) == pytest.approx(np.log(density(at)), abs=1e-4)
    entropy = -quad(lambda a: density(a) * np.log(density(a)), -0.99999, 0.99999, limit=200)[0]
    assert -float(jnp.mean(log_prob)) == pytest.approx(entropy, abs=0.02)
    far = tanh_sample(Gaussian(jnp.full((4, 1), 50.0), jnp.zeros((4, 1))), KEY)[1]
    assert np.isfinite(far).all()


def test_temperature_rises_when_the_policy_is_too_sure() -> None:
    slope = jax.grad(lambda t: soft_policy.temperature_loss(t, jnp.asarray(-5.0), -2.0))
    assert float(slope(soft_policy.Temperature(jnp.zeros(()))).log_alpha) < 0  # descent raises α


def test_the_decoupled_gradient_follows_q_through_the_skill_and_leaves_it_alone() -> None:
    planner = GaussianPlanner(KEY, PLAIN, (16,))
    skill = VectorSkill(KEY, PLAIN, 2, (16,), noise=0.0)
    critic = TwinCritic(KEY, PLAIN, 2, (16,), normalise=True)
    state = jax.random.normal(KEY, (32, 2))

    def loss(planner: GaussianPlanner) -> jax.Array:
        return depg.through_skill(critic, skill, state, planner.mode(state), KEY)[0]

    action = skill.mode(state, planner.mode(state))
    assert float(loss(planner)) == pytest.approx(
        float(-critic.least(state, action).mean()), rel=1e-5
    )
    gradient = jax.grad(lambda p: loss(p))(planner)
    small = jax.tree.map(lambda x, g: x - 1e-2 * g, planner, gradient)
    assert float(loss(small)) < float(loss(planner))


def test_squared_errors_are_summed_over_dimensions() -> None:
    skill = VectorSkill(KEY, PLAIN, 2, (4,))
    skill = jax.tree.map(jnp.zeros_like, skill)
    skill = eqx.tree_at(lambda s: s.standard.scale, skill, jnp.ones(2))
    action = jnp.array([[0.5, -0.5]])
    zero = jnp.zeros((1, 2))
    assert float(inverse_dynamics.squared(skill, zero, zero, action)) == pytest.approx(0.5)
    plan = Gaussian(jnp.zeros((1, 2)), jnp.zeros((1, 2)))
    squared = supervised_planner.of_distribution(plan, action, "squared", KEY)
    assert float(squared) == pytest.approx(0.5)
    expected = -norm.logpdf([0.5, -0.5]).sum()
    likelihood = supervised_planner.of_distribution(plan, action, "likelihood", KEY)
    assert float(likelihood) == pytest.approx(expected, rel=1e-5)


def test_statistics_survive_a_feature_that_never_changes() -> None:
    standard = Standard.of(jnp.array([[1.0, 5.0], [2.0, 5.0]]), clip=20.0)
    z = standard(jnp.array([[100.0, 5.0], [1.0, 5.1]]))
    assert np.isfinite(z).all()
    assert np.abs(np.asarray(z)).max() <= 20.0
    np.testing.assert_allclose(standard.back(standard(jnp.array([1.5, 5.0]))), [1.5, 5.0])


def fitted(skill: VectorSkill, loss) -> float:
    """What a skill makes of a transition that two opposite actions have made, 3 : 2."""
    state = target = jnp.zeros((100, 2))
    action = jnp.where(jnp.arange(100) < 60, 0.6, -0.6)[:, None]
    trained = fresh(skill, optax.adam(1e-2))

    def of_batch(model: VectorSkill, batch) -> jax.Array:
        return loss(model, *batch)

    batches = jax.tree.map(lambda x: jnp.tile(x, (400, 1, 1)), (state, target, action))
    trained, _ = descend(trained, optax.adam(1e-2), of_batch, batches)
    return float(trained.model.mode(state, target)[0, 0])


def test_squared_error_averages_actions_of_one_effect_and_heads_do_not() -> None:
    one = VectorSkill(KEY, PLAIN, 1, (8,))
    two = VectorSkill(KEY, PLAIN, 1, (8,), modes=2)
    assert fitted(one, inverse_dynamics.squared) == pytest.approx(0.12, abs=0.01)
    # The commoner action; the share that keeps heads alive pulls it to the mean by a fortieth.
    pulled = 0.6 - 0.48 * 0.025 * 0.4 / (0.95 * 0.6 + 0.025)
    assert fitted(two, best_of_modes.loss) == pytest.approx(pulled, abs=0.02)


def test_the_loss_of_heads_by_hand() -> None:
    skill = VectorSkill(KEY, PLAIN, 1, (8,), modes=2)
    state, action = jnp.ones((1, 2)), jnp.array([[0.5]])
    (heads, gate) = skill.heads(state, state)
    error = (np.tanh(np.asarray(heads))[0, :, 0] - 0.5) ** 2
    share = np.exp(np.asarray(gate)[0]) / np.exp(np.asarray(gate)[0]).sum()
    near = int(np.argmin(error))
    expected = 0.95 * error.min() + 0.05 * error.mean() - 0.1 * np.log(share[near])
    found = best_of_modes.loss(skill, state, state, action)
    np.testing.assert_allclose(found, expected, rtol=1e-5)

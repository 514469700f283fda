from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depo.losses import (
    adversarial_reward,
    behaviour_cloning,
    calibrated_decoupled_policy_gradient,
    clipped_policy_gradient,
    discriminator,
    inverse_dynamics,
    supervised_planner,
    value,
)
from depo.methods.descent import descend, fresh
from depo.models.judges import Critic, Discriminator
from depo.models.planner import CategoricalPlanner
from depo.models.policy import CategoricalActor
from depo.models.skill import CategoricalSkill

KEY = jax.random.key(0)


def minimise(model, loss, steps: int = 800, rate: float = 1e-2):
    optimiser = optax.adam(rate)
    trained, _ = descend(fresh(model, optimiser), optimiser, lambda m, _: loss(m), jnp.zeros(steps))
    return trained.model


def test_the_supervised_planner_learns_the_experts_frequencies() -> None:
    state = jnp.array([0] * 4 + [1] * 2)
    following = jnp.array([1, 1, 1, 2, 0, 2])
    planner = minimise(
        CategoricalPlanner(KEY, 3, (16,)),
        lambda p: supervised_planner.loss(p, state, following),
    )
    h = np.exp(planner.log_probabilities(jnp.arange(2)))
    np.testing.assert_allclose(h, [[0, 0.75, 0.25], [0.5, 0, 0.5]], atol=0.02)


def test_calibration_is_a_weighted_likelihood_of_what_was_reached() -> None:
    state, reached = jnp.zeros(3, int), jnp.array([1, 2, 2])
    weight = calibrated_decoupled_policy_gradient.weights(jnp.array([2.0, -1.0, 0.0]))
    np.testing.assert_allclose(weight, [3, 0, 1])
    planner = minimise(
        CategoricalPlanner(KEY, 3, (16,)),
        lambda p: calibrated_decoupled_policy_gradient.loss(p, state, reached, weight),
    )
    np.testing.assert_allclose(
        np.exp(planner.log_probabilities(jnp.array(0))), [0, 0.75, 0.25], atol=0.02
    )


def test_the_skill_learns_which_action_made_the_transition() -> None:
    state, reached = jnp.array([0, 0, 0, 1]), jnp.array([1, 1, 2, 0])
    action = jnp.array([0, 1, 2, 2])
    skill = minimise(
        CategoricalSkill(KEY, 3, 3, (16,)),
        lambda i: inverse_dynamics.loss(i, state, reached, action),
    )
    learned = np.exp(skill.log_probabilities(state, reached))
    expected = [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1], [0, 0, 1]]
    np.testing.assert_allclose(learned, expected, atol=0.02)


def test_the_best_discriminator_is_the_density_ratio() -> None:
    """D* = ρ_E / (ρ_E + ρ_π), so the logit is log ρ_E/ρ_π."""
    expert = (jnp.array([0, 0, 0, 1]), jnp.array([1, 1, 1, 0]))
    agent = (jnp.array([0, 1, 1, 1]), jnp.array([1, 0, 0, 0]))
    best = minimise(Discriminator(KEY, 2, (16,)), lambda d: discriminator.loss(d, expert, agent))
    logits = best(jnp.array([0, 1]), jnp.array([1, 0]))
    np.testing.assert_allclose(logits, [np.log(3), -np.log(3)], atol=0.05)


def test_reward_forms() -> None:
    logit = jnp.array([-30.0, 0.0, 30.0])
    d = adversarial_reward.log_d(logit)
    np.testing.assert_allclose(d, [-30, -np.log(2), 0], atol=1e-5)
    np.testing.assert_allclose(
        adversarial_reward.minus_log_one_minus_d(logit), [0, np.log(2), 30], atol=1e-5
    )
    np.testing.assert_allclose(adversarial_reward.logit(logit), logit)
    np.testing.assert_allclose(adversarial_reward.constant(logit), -np.log(2))
    assert jnp.isfinite(adversarial_reward.log_d(jnp.array([-1e4, 1e4]))).all()


def test_cloning_follows_the_labels() -> None:
    actor = minimise(
        CategoricalActor(KEY, 3, 2, (16,)),
        lambda a: behaviour_cloning.loss(a, jnp.array([0, 1, 2]), jnp.array([1, 0, 1])),
    )
    assert actor.mode(jnp.arange(3)).action.tolist() == [1, 0, 1]


def test_the_clip_stops_the_gradient_outside_the_trust_region() -> None:
    def slope(log_ratio: float, advantage: float) -> float:
        loss = lambda x: clipped_policy_gradient.loss(  # noqa: E731
            jnp.array([x]), jnp.array([0.0]), jnp.array([advantage]), 0.1
        )
        return float(jax.grad(loss)(log_ratio))

    assert slope(0.0, 1.0) == pytest.approx(-1.0)
    assert slope(0.2, 1.0) == 0.0
    assert slope(-0.2, 1.0) < 0
    assert slope(-0.2, -1.0) == 0.0
    assert slope(0.2, -1.0) > 0


def test_actions_that_were_all_but_impossible_give_finite_gradients() -> None:
    loss = lambda x: clipped_policy_gradient.loss(  # noqa: E731
        x, jnp.array([-500.0]), jnp.array([-1.0]), 0.1
    )
    assert jnp.isfinite(jax.grad(loss)(jnp.array([-1.0]))).all()


@given(st.integers(0, 2**31 - 1))
def test_advantages_by_the_definition(seed: int) -> None:
    """A_t = Σ_l (γλ)^l δ_{t+l} up to the end of the episode, written as a double loop."""
    g = np.random.default_rng(seed)
    time, copies, gamma, trace = 6, 2, 0.9, 0.8
    reward, now, after = g.normal(size=(3, time, copies)).astype(np.float32)
    terminated = g.random((time, copies)) < 0.2
    truncated = (g.random((time, copies)) < 0.2) & ~terminated
    arrays = [jnp.asarray(x) for x in (reward, now, after, terminated, truncated)]
    result = np.asarray(value.advantages(*arrays, gamma, trace))
    delta = reward + gamma * after * ~terminated - now
    for c in range(copies):
        for t in range(time):
            total, factor = 0.0, 1.0
            for u in range(t, time):
                total += factor * delta[u, c]
                factor *= gamma * trace
                if terminated[u, c] or truncated[u, c]:
                    break
            assert result[t, c] == pytest.approx(total, abs=1e-4)


def test_equal_advantages_standardise_to_zero_not_nan() -> None:
    np.testing.assert_array_equal(value.standardise(jnp.full(4, 3.0)), np.zeros(4))


def test_the_critic_learns_its_targets() -> None:
    critic = minimise(
        Critic(KEY, 3, (16,)),
        lambda v: value.loss(v, jnp.array([0, 1, 2]), jnp.array([1.0, -2.0, 0.5])),
    )
    np.testing.assert_allclose(critic(jnp.arange(3)), [1, -2, 0.5], atol=0.05)

"""DePG, the decoupled policy gradient: −E[A(s,a) log π(a|s)] with π(a|s) = Σ_s' h(s'|s) I(a|s,s').

The skill I is held fixed and only the planner h moves. On finite states the sum is exact; the
other two estimators sample the plan instead and are what large state sets would need. On
vectors the gradient flows from Q through the skill into the plan; discrete actions are summed over.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depo.models.critic import TwinCritic
from depo.models.planner import CategoricalPlanner, pick
from depo.models.skill import AnalyticSkill, CategoricalSkill, DiscreteSkill, VectorSkill


def exact(
    planner: CategoricalPlanner,
    state: Int[Array, " batch"],
    log_skill: Float[Array, "batch states"],
    advantage: Float[Array, " batch"],
) -> Float[Array, ""]:
    """Through the marginal; ``log_skill`` is log I(a|s,·) of the action taken, for every target."""
    return -jnp.mean(advantage * log_marginal(planner, state, log_skill))


def log_marginal(
    planner: CategoricalPlanner,
    state: Int[Array, " batch"],
    log_skill: Float[Array, "batch states"],
) -> Float[Array, " batch"]:
    """log π(a|s) = log Σ_s' h(s'|s) I(a|s,s')."""
    return jax.nn.logsumexp(planner.log_probabilities(state) + log_skill, axis=-1)


def score_function(
    planner: CategoricalPlanner,
    state: Int[Array, " batch"],
    plan: Int[Array, " batch"],
    advantage: Float[Array, " batch"],
) -> Float[Array, ""]:
    """−E[A log h(ŝ'|s)] at the plan ŝ' that led to the action: unbiased, of higher variance.

    ∇log π(a|s) is the mean of ∇log h(ŝ'|s) over p(ŝ'|s,a) ∝ h(ŝ'|s) I(a|s,ŝ'), and acting by
    plan then skill draws ŝ' from just that.
    """
    return -jnp.mean(advantage * planner.log_prob(state, plan))


def straight_through(
    planner: CategoricalPlanner,
    skill: CategoricalSkill,
    state: Int[Array, " batch"],
    action: Int[Array, " batch"],
    advantage: Float[Array, " batch"],
    key: Key[Array, ""],
) -> Float[Array, ""]:
    """−E[A log I(a|s,ŝ')], ŝ' a Gumbel-max sample whose gradient is the softmax's: biased."""
    logits = planner.log_probabilities(state)
    noisy = logits + jax.random.gumbel(key, logits.shape)
    soft = jax.nn.softmax(noisy)
    hard = jax.nn.one_hot(jnp.argmax(noisy, axis=-1), planner.states)
    plan = soft + jax.lax.stop_gradient(hard - soft)
    return -jnp.mean(advantage * pick(skill.log_probabilities_soft(state, plan), action))


def through_skill(
    critic: TwinCritic,
    skill: VectorSkill,
    state: Float[Array, "batch sees"],
    plan: Float[Array, "batch predicts"],
    key: Key[Array, ""],
) -> tuple[Float[Array, " batch"], Float[Array, "batch actions"]]:
    """min Q(s, a), a = tanh(μ_I(s,ŝ') + σε), ŝ' a reparameterised sample of h.

    DePG raises its mean. Returns μ_I beside, for a penalty on it.
    """
    before = skill.before_tanh(state, plan)
    return critic.least(state, jnp.tanh(before.sample(key))), before.mean


def through_choices(
    critic: TwinCritic,
    skill: DiscreteSkill,
    state: Float[Array, "batch sees"],
    plan: Float[Array, "batch predicts"],
) -> tuple[Float[Array, " batch"], Float[Array, "batch actions"]]:
    """Σ_a I(a|s,ŝ')·min Q(s,a), exact over the actions, ŝ' a reparameterised sample of h.

    With the mean over ŝ' this is Σ_a π(a|s) min Q(s,a), so its gradient is that of the marginal
    policy. Returns the skill's logits beside, for a penalty on them.
    """
    chosen = skill.distribution(state, plan)
    value = critic.least_of_each(state, chosen.every())
    return jnp.sum(jnp.exp(chosen.joint()) * value, axis=-1), chosen.logits


def through_formula(
    critic: TwinCritic,
    skill: AnalyticSkill,
    state: Float[Array, "batch sees"],
    plan: Float[Array, "batch predicts"],
) -> Float[Array, " batch"]:
    """min Q(s, a), a = I(s,ŝ') by a known formula, which has no noise of its own."""
    return critic.least(state, skill.mode(state, plan))


def in_deviations(
    value: Float[Array, " batch"], taken: Float[Array, " batch"]
) -> Float[Array, " batch"]:
    """Values in units of their deviation over the minibatch, if that is above one: before values
    are spread there is nothing to follow yet, and anchors hold.

    >>> in_deviations(jnp.array([0.0, 8.0]), jnp.zeros(2))
    Array([0., 2.], dtype=float32)
    """
    return value / jnp.maximum(jax.lax.stop_gradient(jnp.std(value)), 1.0)


GAINS = 5.0
"""As many deviations of what an action changes are one unit of value."""


def in_gains(
    value: Float[Array, " batch"], taken: Float[Array, " batch"]
) -> Float[Array, " batch"]:
    """Values in units of what actions make of them: some deviations of Q(s,â) − Q(s,a) over the
    minibatch, â planned and a taken before, if that is above one.

    Most of Q's own deviation is between good and bad states, which no plan can change; replay
    keeps the bad ones, and in their units whoever began badly would follow Q more weakly for good.

    >>> in_gains(jnp.array([16.0, 80.0]), jnp.array([0.0, 32.0]))
    Array([0.2, 1. ], dtype=float32)
    """
    gain = jax.lax.stop_gradient(jnp.std(value - taken))
    return value / jnp.maximum(GAINS * gain, 1.0)


UNITS: dict[
    str, Callable[[Float[Array, " batch"], Float[Array, " batch"]], Float[Array, " batch"]]
] = {
    "reward": lambda value, _: value,
    "deviation": in_deviations,
    "gain": in_gains,
}
"""By name, of Q of what is planned and Q of what was done in the same states."""

"""Policy gradient of decisions: −E[Â·log h(d|s)], Â = (Q(s, c(s,d)) − mean over decisions) / std.

c are controllers that nobody differentiates: they may have limits, cases and steps, and what comes
of a decision is only looked at (Huang et al. 2019, "Learning driving decisions by imitating
drivers' control behaviors", whose decisions are learned by a policy gradient for that reason).
Several decisions in the same state are each other's baseline. Â is in units of its own deviation
over the minibatch: what a single decision changes is a small part of a value, and beside the
entropy it must count for the same whatever the reward is multiplied by.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.models.critic import TwinCritic
from depo.models.planner import GaussianPlanner
from depo.models.skill import Skill

SMALLEST = 1e-6
"""Deviation of a value below which decisions are alike."""


def loss(
    planner: GaussianPlanner,
    controllers: Skill,
    critic: TwinCritic,
    state: Float[Array, "batch sees"],
    count: int,
    key: Key[Array, ""],
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """The loss, and the mean entropy of a decision's numbers; ``count`` decisions in each state."""
    decided = planner.distribution(state)
    noise = jax.random.normal(key, (count, *decided.mean.shape))
    drawn = jax.lax.stop_gradient(decided.mean + jnp.exp(decided.log_std) * noise)
    states = jnp.broadcast_to(state, (count, *state.shape))
    action = controllers.mode(states, planner.reached(states, drawn))
    value = jax.lax.stop_gradient(critic.least(states, action))
    better = (value - jnp.mean(value, axis=0)).reshape(-1)
    better = better / jnp.maximum(jnp.std(better), SMALLEST)
    likely = decided.log_prob(drawn).reshape(-1)
    entropy = jnp.mean(decided.log_std) + 0.5 * jnp.log(2.0 * jnp.pi * jnp.e)
    return -jnp.mean(better * likely) * count / max(count - 1, 1), entropy

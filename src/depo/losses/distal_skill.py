"""A skill fitted to its effects: E‖T(s, I(s,ŝ')) − ŝ'‖², through a forward model T that is learned.

Where many actions have the same effect, the one that was taken is no better a label than the
others, and squared error learns their average, which may do something else. An effect has no such
ambiguity (Jordan and Rumelhart's distal teacher). Errors are in standardised units.
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.models.forward import Forward
from depo.models.planner import GaussianPlanner
from depo.models.skill import DiscreteSkill, VectorSkill


def forward_loss(
    forward: Forward,
    planner: GaussianPlanner,
    state: Float[Array, "batch sees"],
    action: Float[Array, "batch actions"],
    next_state: Float[Array, "batch sees"],
) -> Float[Array, ""]:
    """E‖T(s,a) − s'‖² of real transitions, over the features that are planned."""
    change = planner.difference(state, planner.select(next_state))
    return jnp.mean(jnp.sum((forward(planner.normaliser(state), action) - change) ** 2, axis=-1))


def skill_loss(
    skill: VectorSkill,
    forward: Forward,
    planner: GaussianPlanner,
    state: Float[Array, "batch sees"],
    target: Float[Array, "batch predicts"],
) -> Float[Array, ""]:
    """E‖T(s, I(s,ŝ')) − ŝ'‖²; only the skill moves."""
    meant = forward(planner.normaliser(state), skill.mode(state, target))
    return jnp.mean(jnp.sum((meant - planner.difference(state, target)) ** 2, axis=-1))


def of_choices(
    skill: DiscreteSkill,
    forward: Forward,
    planner: GaussianPlanner,
    state: Float[Array, "batch sees"],
    target: Float[Array, "batch predicts"],
) -> tuple[Float[Array, ""], Float[Array, "batch actions"]]:
    """E Σ_a I(a|s,ŝ')·‖T(s,a) − ŝ'‖² over discrete actions; only the skill moves. Returns its
    logits beside, for a penalty on them."""
    chosen = skill.distribution(state, target)
    every = jnp.asarray(chosen.every())
    seen = planner.normaliser(state)[:, None, :]
    shape = (len(state), len(every))
    reached = forward(
        jnp.broadcast_to(seen, (*shape, seen.shape[-1])),
        jnp.broadcast_to(every, (*shape, every.shape[-1])),
    )
    missed = jnp.sum((reached - planner.difference(state, target)[:, None, :]) ** 2, axis=-1)
    return jnp.mean(jnp.sum(jnp.exp(chosen.joint()) * missed, axis=-1)), chosen.logits

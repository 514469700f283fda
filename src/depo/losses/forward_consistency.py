"""Goal-conditioned inverse dynamics: E‖â − a‖² + λ·E‖f(s,â) − s'‖², â = I(s, g), g seen later.

Many actions begin a way to a distant goal, and the one that was taken is only one of them: an
action that does the same is as good. So what counts is what â would have done, by the forward model
f, which is fitted to E‖f(s,a) − s'‖² (Pathak et al. 2018, "Zero-shot visual imitation"). The goal
recogniser is a classifier: states a step apart are the same goal, others are not.
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.losses import discriminator as cross_entropy
from depo.models.following_planner import FollowingPlanner
from depo.models.forward import Forward
from depo.models.planner import GaussianPlanner
from depo.models.skill import DiscreteSkill, VectorSkill


def consistency(
    skill: VectorSkill | DiscreteSkill,
    forward: Forward,
    planner: GaussianPlanner,
    state: Float[Array, "batch sees"],
    next_state: Float[Array, "batch sees"],
    goal: Float[Array, "batch sees"],
) -> Float[Array, ""]:
    """E‖f(s, I(s,g)) − s'‖²; only the skill moves. Of discrete actions f is given probabilities."""
    target = skill.select(goal)
    if isinstance(skill, DiscreteSkill):
        action = jnp.exp(skill.distribution(state, target).log_probabilities())
    else:
        action = skill.mode(state, target)
    made = forward(planner.normaliser(state), action)
    change = planner.difference(state, planner.select(next_state))
    return jnp.mean(jnp.sum((made - change) ** 2, axis=-1))


def recognition(
    planner: FollowingPlanner,
    state: Float[Array, "batch sees"],
    next_state: Float[Array, "batch sees"],
) -> Float[Array, ""]:
    """Cross-entropy of the recogniser: (s,s') and (s',s) against (s, another's s')."""
    goals, behind = planner.select(next_state), planner.select(state)
    same = jnp.concatenate([planner.recognise(state, goals), planner.recognise(next_state, behind)])
    return cross_entropy.of_logits(same, planner.recognise(state, jnp.roll(goals, 1, axis=0)))

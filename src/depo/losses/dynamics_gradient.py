"""Deep deterministic dynamics gradient: −E[Q(s, ŝ)] + c·E‖ŝ − τ(s)‖², ŝ = f(s, I(s, τ(s))).

Q(s,s') is the value of going from s to s' and on from there as well as one can; it names no action,
so it is the same for every body. τ proposes s'. Where nothing real was seen Q is wrong, and τ would
go there: so a proposal passes through the inverse model I and the forward model f first, which can
only lead to neighbours, and the cycle's error holds τ(s) to what they reach. Only τ moves
(Edwards et al. 2020, "Estimating Q(s,s') with deep deterministic dynamics gradients", equations 6
to 9). Changes s'−s stand for next states, standardised.
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.models.critic import TwinCritic
from depo.models.forward import Forward
from depo.models.planner import GaussianPlanner
from depo.models.skill import AnalyticSkill, DiscreteSkill, VectorSkill


def cycle(
    planner: GaussianPlanner,
    skill: VectorSkill | DiscreteSkill | AnalyticSkill,
    forward: Forward,
    state: Float[Array, "batch sees"],
) -> tuple[Float[Array, "batch predicts"], Float[Array, "batch predicts"]]:
    """The change that τ proposes, and the one that comes of it: f(s, I(s, τ(s))) − s.

    Of discrete actions f is given the probabilities, so that the gradient passes.
    """
    proposed = planner.distribution(state).mean
    target = planner.reached(state, proposed)
    if isinstance(skill, DiscreteSkill):
        action = jnp.exp(skill.distribution(state, target).log_probabilities())
    else:
        action = skill.mode(state, target)
    return proposed, forward(planner.normaliser(state), action)


def loss(
    planner: GaussianPlanner,
    skill: VectorSkill | DiscreteSkill | AnalyticSkill,
    forward: Forward,
    critic: TwinCritic,
    state: Float[Array, "batch sees"],
) -> tuple[Float[Array, " batch"], Float[Array, ""]]:
    """Q₁ of what a proposal leads to, which −E[·] follows, and the cycle's error."""
    proposed, reached = cycle(planner, skill, forward, state)
    value = critic(state, reached)[0]
    return value, jnp.mean((reached - proposed) ** 2)

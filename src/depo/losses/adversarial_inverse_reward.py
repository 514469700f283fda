"""AIRL's discriminator, D = e^f / (e^f + π(a|s)), f(s,s') = g(s) + γ h(s') − h(s).

Its logit is f(s,s') − log π(a|s), so that D can tell the agent only by what its reward is wrong
about; where neither is told apart f is log π_E, the advantage of a soft-optimal expert. With g of
states alone and h free, deterministic dynamics leave in g the expert's reward, up to a constant
(Fu, Luo and Levine, 2018).
"""

from __future__ import annotations

from jaxtyping import Array, Float

from depo.losses import discriminator
from depo.models.reward import StateReward

Rows = tuple[
    Float[Array, "batch sees"],
    Float[Array, "batch sees"],
    Float[Array, " batch"],
]
"""s, s' and log π(a|s) of the action between."""


def logit(reward: StateReward, rows: Rows) -> Float[Array, " batch"]:
    """log D − log(1 − D)."""
    state, next_state, log_prob = rows
    return reward.shaped(state, next_state) - log_prob


def loss(reward: StateReward, expert: Rows, agent: Rows) -> tuple[Float[Array, ""], Array]:
    """−½ E_expert[log D] − ½ E_agent[log(1 − D)], and the share of transitions told right."""
    logits = logit(reward, expert), logit(reward, agent)
    return discriminator.of_logits(*logits), discriminator.accuracy(*logits)

"""What an episode's end is worth under a reward that is learned."""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from depo.data.transitions import Transitions
from depo.losses import end_value as worth
from depo.methods.method import Agent
from depo.methods.off_policy.method import Shape
from depo.methods.off_policy.steps.reward import RewardSettings, reward_of, standardised_reward
from depo.methods.optimisation import Trained

ENDS = "ends"
"""Among an agent's models where the expert's episodes end by themselves."""
MEMORY = 20
"""The agent's share of ends is that of the time in which the expert ends so often: what it does
now, as an incentive that waits for a long past to fade comes too late."""


class Ends(eqx.Module):
    """The share of steps that end an episode."""

    expert: Float[Array, ""]
    agent: Float[Array, ""]


def new_ends(shape: Shape, s: RewardSettings) -> Agent:
    """Where the expert's episodes end by themselves, how often they do; an agent's own share is
    unknown yet, so taken to be the same."""
    if not shape.expert_ends or s.collection.termination != "relative":
        return {}
    share = jnp.asarray(shape.expert_ends, jnp.float32)
    return {ENDS: Trained(Ends(share, share), None)}


def follow_ends(agent: Agent, terminated: Bool[np.ndarray, " steps"]) -> Agent:
    """The agent with its own share of ends, some newly gathered steps on."""
    if ENDS not in agent:
        return agent
    ends: Ends = agent[ENDS].model
    weight = 1.0 - jnp.exp(-len(terminated) * ends.expert / MEMORY)
    share = ends.agent + weight * (np.mean(terminated, dtype=np.float32) - ends.agent)
    return agent | {ENDS: Trained(Ends(ends.expert, share), None)}


def end_value(
    agent: Agent,
    batch: Transitions,
    next_value: Float[Array, " batch"],
    first_value: Callable[[], Float[Array, " episodes"]],
    s: RewardSettings,
) -> Float[Array, ""] | float:
    """What an ended episode is worth: less than is usual and no more than beginning anew, unless
    the expert's end by themselves, too; for ever the reward of a poor transition; or nothing."""

    def reward(logit: Float[Array, ""]) -> Float[Array, ""]:
        return standardised_reward(agent, reward_of(logit, s.discriminator))

    match s.collection.termination:
        case "relative":
            counts = ~batch.terminated
            usual = worth.below_usual(next_value, counts, s.discriminator.end_cost)
            worst = jnp.minimum(usual, jnp.mean(first_value()))
            if ENDS not in agent:
                return worst
            ends: Ends = agent[ENDS].model
            ended = reward(worth.log_ratio(ends.expert, ends.agent))
            return worth.for_ever(worst, ended, s.critic.gamma)
        case "absorbing":
            return reward(jnp.asarray(-s.discriminator.absorbing_logit)) / (1.0 - s.critic.gamma)
    return 0.0

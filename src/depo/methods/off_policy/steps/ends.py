"""What an episode's end is worth under a reward that is learned."""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from depo.data.transitions import Expert, Transitions
from depo.losses import end_value as worth
from depo.methods.method import Agent
from depo.methods.off_policy.method import Shape
from depo.methods.off_policy.steps.expert import first_states
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
    expert: Expert,
    value: Callable[[Float[Array, "rows sees"], int], Float[Array, " rows"]],
    s: RewardSettings,
) -> Float[Array, "*batch"] | float:
    """What an ended episode is worth: less than is usual, beginning anew and the state in which it
    ended, or where the expert's end, too, the reward of that for ever; the reward of a poor
    transition for ever; or nothing.

    ``batch`` has the rewards that are learned from; ``value`` is min Q̄ of states, its number tells
    the draws of one call from those of another.
    """

    def reward(logit: Float[Array, ""]) -> Float[Array, ""]:
        return standardised_reward(agent, reward_of(logit, s.discriminator))

    match s.collection.termination:
        case "relative":
            first = jnp.mean(value(first_states(expert), 1))
            counts, cost = ~batch.terminated, s.discriminator.end_cost
            if ENDS not in agent:
                before = _value_before(batch, lambda: value(batch.state, 2))
                return worth.of_who_goes_on(next_value, counts, cost, first, before)
            worst = jnp.minimum(worth.below_usual(next_value, counts, cost), first)
            ends: Ends = agent[ENDS].model
            alike, recorded = reward(jnp.zeros(())), ends.expert * expert[0].shape[0]
            ratio = worth.log_ratio(ends.expert, ends.agent)
            often = reward(ratio + worth.PULL) - alike
            least = reward(-jnp.log(jnp.maximum(recorded, 1.0))) - alike
            ended = worth.having_ended(often, batch.reward, least)
            return worth.for_ever(worst, ended, s.critic.gamma)
        case "absorbing":
            return reward(jnp.asarray(-s.discriminator.absorbing_logit)) / (1.0 - s.critic.gamma)
    return 0.0


def _value_before(
    batch: Transitions, value: Callable[[], Float[Array, " batch"]]
) -> Float[Array, " batch"]:
    """Of the states that were left; no bound, and no time, where none of them ended an episode."""
    size = batch.terminated.shape
    return jax.lax.cond(jnp.any(batch.terminated), value, lambda: jnp.full(size, jnp.inf))

"""Twin critics and their targets."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.data.transitions import Transitions
from depo.losses import twin_critic
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy import settings as parts
from depo.methods.off_policy.method import Pace, Shape
from depo.methods.off_policy.steps.gradient import step
from depo.methods.optimisation import Trained, follow, fresh
from depo.models.critic import TwinCritic


@runtime_checkable
class CriticSettings(Protocol):
    """What the steps of critics read of a method's settings."""

    @property
    def networks(self) -> parts.Networks:
        """What actor, planner and critics share."""

    @property
    def critic(self) -> parts.Critic:
        """The critics."""


def new_critics(key: Key[Array, ""], shape: Shape, s: CriticSettings, pace: Pace) -> Agent:
    """Twin critics and their targets."""
    hidden = shape.layers(s.networks.hidden)
    critic = TwinCritic(key, shape.normaliser, shape.actions, hidden, s.critic.norm)
    optimiser = pace.adam(s.critic.rate, s.networks.adam_beta)
    return {"critic": fresh(critic, optimiser), "target": Trained(critic, None)}


def update_critics(
    agent: Agent,
    batch: Transitions,
    reward: Float[Array, " batch"],
    next_value: Float[Array, " batch"],
    end_value: Float[Array, "*batch"] | float,
    s: CriticSettings,
    pace: Pace,
) -> tuple[Agent, Float[Array, " batch"], Metrics]:
    """A step of both critics, then of their targets; min Q of the batch as it was before."""
    goal = twin_critic.target(reward, next_value, batch.terminated, end_value, s.critic.gamma)
    critic, loss, values = step(
        agent["critic"],
        pace.adam(s.critic.rate, s.networks.adam_beta),
        lambda model: twin_critic.loss(model, batch.state, batch.action, goal),
    )
    target = follow(agent["target"].model, critic.model, s.critic.follow)
    metrics = {"critic_loss": loss, "value": jnp.mean(values)}
    changed = {"critic": critic, "target": Trained(target, None)}
    return agent | changed, jnp.min(values, axis=0), metrics

"""Policies: how a state becomes an action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depo.models.mlp import MLP
from depo.models.planner import Planner
from depo.models.skill import Skill


class Decision(NamedTuple):
    """An action and the state it was meant to reach (−1 where the policy plans nothing)."""

    action: Array
    plan: Array


@runtime_checkable
class Policy(Protocol):
    """Anything that acts."""

    def sample(self, state: Array, key: Key[Array, ""]) -> Decision:
        """A random decision."""

    def mode(self, state: Array) -> Decision:
        """The deterministic decision."""


class DecoupledPolicy(eqx.Module):
    """Planner, then skill: ŝ' ~ h(·|s), a ~ I(·|s,ŝ')."""

    planner: Planner
    skill: Skill

    def sample(self, state: Array, key: Key[Array, ""]) -> Decision:
        """Sample the plan, then the action."""
        plan_key, action_key = jax.random.split(key)
        plan = self.planner.sample(state, plan_key)
        return Decision(self.skill.sample(state, plan, action_key), plan)

    def mode(self, state: Array) -> Decision:
        """The most likely plan, then the most likely action towards it."""
        plan = self.planner.mode(state)
        return Decision(self.skill.mode(state, plan), plan)


class CategoricalActor(eqx.Module):
    """A plain policy π(a|s) over finite states and actions, as GAIfO, BCO and PPO use."""

    network: MLP
    states: int = eqx.field(static=True)

    def __init__(self, key: Key[Array, ""], states: int, actions: int, hidden: Sequence[int]):
        self.states = states
        self.network = MLP(key, states, hidden, actions, activation="leaky-relu")

    def log_probabilities(self, state: Int[Array, "*batch"]) -> Float[Array, "*batch actions"]:
        """log π(·|s)."""
        return jax.nn.log_softmax(self.network(jax.nn.one_hot(state, self.states)))

    def sample(self, state: Int[Array, "*batch"], key: Key[Array, ""]) -> Decision:
        """An action drawn from π."""
        action = jax.random.categorical(key, self.log_probabilities(state))
        return Decision(action, jnp.full_like(action, -1))

    def mode(self, state: Int[Array, "*batch"]) -> Decision:
        """The most likely action."""
        action = jnp.argmax(self.log_probabilities(state), axis=-1)
        return Decision(action, jnp.full_like(action, -1))

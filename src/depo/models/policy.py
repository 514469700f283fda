"""Policies: how a state becomes an action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depo.models.mlp import MLP
from depo.models.normaliser import Normaliser
from depo.models.planner import Gaussian, Planner
from depo.models.skill import Skill, VectorSkill, split_gaussian


class Decision(NamedTuple):
    """An action and the state it was meant to reach (−1, or no features, where
    the policy plans nothing)."""

    action: Array
    plan: Array


@runtime_checkable
class PolicyModel(Protocol):
    """What acts inside depo: states as networks see them, actions in [−1,1]ⁿ or numbered."""

    def sample(self, state: Array, key: Key[Array, ""]) -> Decision:
        """A random decision."""

    def mode(self, state: Array) -> Decision:
        """The deterministic decision."""


class DecoupledPolicy(eqx.Module):
    """Planner, then skill: ŝ' ~ h(·|s), a ~ I(·|s,ŝ'); or without spread, ŝ' the likeliest."""

    planner: Planner
    skill: Skill
    spread: bool = eqx.field(static=True, default=True)

    def sample(self, state: Array, key: Key[Array, ""]) -> Decision:
        """Sample the plan, then the action."""
        plan_key, action_key = jax.random.split(key)
        plan = self.planner.sample(state, plan_key) if self.spread else self.planner.mode(state)
        return Decision(self.skill.sample(state, plan, action_key), plan)

    def mode(self, state: Array) -> Decision:
        """The most likely plan, then the most likely action towards it."""
        plan = self.planner.mode(state)
        return Decision(self.skill.mode(state, plan), plan)

    def sample_log_prob(
        self, state: Float[Array, "*batch sees"], key: Key[Array, ""]
    ) -> tuple[Float[Array, "*batch actions"], Float[Array, "*batch"], Gaussian]:
        """As an actor: the planner's mode, then a random action of a vector skill."""
        assert isinstance(self.skill, VectorSkill)
        return tanh_sample(self.skill.before_tanh(state, self.planner.mode(state)), key)


class GaussianActor(eqx.Module):
    """A plain policy π(a|s) on vector states: tanh of a Gaussian, actions in [−1,1]ⁿ.

    >>> actor = GaussianActor(jax.random.key(0), Normaliser.none(3), actions=2, hidden=(8,))
    >>> actor.mode(jnp.ones((5, 3))).action.shape
    (5, 2)
    """

    network: MLP
    normaliser: Normaliser

    def __init__(
        self, key: Key[Array, ""], normaliser: Normaliser, actions: int, hidden: Sequence[int]
    ):
        self.normaliser = normaliser
        self.network = MLP(key, normaliser.mean.shape[0], hidden, 2 * actions)

    def before_tanh(self, state: Float[Array, "*batch sees"]) -> Gaussian:
        """The distribution whose tanh is the action."""
        return Gaussian(*split_gaussian(self.network(self.normaliser(state))))

    def sample_log_prob(
        self, state: Float[Array, "*batch sees"], key: Key[Array, ""]
    ) -> tuple[Float[Array, "*batch actions"], Float[Array, "*batch"], Gaussian]:
        """An action, log π(a|s), and the distribution before the tanh."""
        return tanh_sample(self.before_tanh(state), key)

    def sample(self, state: Float[Array, "*batch sees"], key: Key[Array, ""]) -> Decision:
        """A random action; nothing is planned."""
        return Decision(jnp.tanh(self.before_tanh(state).sample(key)), nothing_planned(state))

    def mode(self, state: Float[Array, "*batch sees"]) -> Decision:
        """The action of the mean."""
        return Decision(jnp.tanh(self.before_tanh(state).mean), nothing_planned(state))


def tanh_sample(
    before: Gaussian, key: Key[Array, ""]
) -> tuple[Float[Array, "*batch actions"], Float[Array, "*batch"], Gaussian]:
    """a = tanh(x) and its log density, log(1 − tanh²x) in the form that never overflows."""
    x = before.sample(key)
    log_slope = 2.0 * (jnp.log(2.0) - x - jax.nn.softplus(-2.0 * x))
    return jnp.tanh(x), before.log_prob(x) - jnp.sum(log_slope, axis=-1), before


def nothing_planned(state: Float[Array, "*batch sees"]) -> Float[Array, "*batch none"]:
    """The plan of a policy that plans nothing: no features."""
    return jnp.zeros((*state.shape[:-1], 0))


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
